import type { Round, RoundResult, Target } from './load-plan.ts';
import { openHttpLane, openSession, openStdioLane, type Lane } from './load-lanes.ts';
import { cpuUs } from './process-usage.ts';
import { percentile } from './statistics.ts';

// The load generator: a closed loop of N callers in a process of its own. The runner sends a round, this answers with its result.

const sessions = new Map<string, string | undefined>();
let number = 1_000_000_000;

process.on('message', (round: Round) => {
  run(round).then(
    (result) => process.send!({ result }),
    (error: unknown) => process.send!({ error: String(error) }),
  );
});
process.on('disconnect', () => process.exit(0));

async function run(round: Round): Promise<RoundResult> {
  const lanes = await openLanes(round);
  try {
    return await measure(round, lanes);
  } finally {
    for (const lane of new Set(lanes)) lane.close();
  }
}

async function openLanes({ target, callers }: Round): Promise<Lane[]> {
  const each = Array.from({ length: callers }, (_, caller) => caller);
  if (target.url)
    return Promise.all(each.map(async (caller) => openHttpLane(target, await sessionOf(target, caller))));
  const shared = openStdioLane(target);
  return each.map(() => shared);
}

/** Every caller is a client with a session of its own, kept from round to round. */
async function sessionOf(target: Target, caller: number): Promise<string | undefined> {
  if (target.era !== '2025-11-25') return undefined;
  const key = `${target.url} ${caller}`;
  if (!sessions.has(key)) sessions.set(key, await openSession(target));
  return sessions.get(key);
}

async function measure(
  { target, warmMs, measureMs, calls = Infinity }: Round,
  lanes: Lane[],
): Promise<RoundResult> {
  const times: number[] = [];
  const problems: string[] = [];
  let recording = warmMs === 0;
  let end = Infinity;
  let started = performance.now();
  let cpuBefore = usedBy(target);
  const timers = [
    setTimeout(() => {
      recording = true;
      started = performance.now();
      cpuBefore = usedBy(target);
    }, warmMs),
    setTimeout(() => (end = 0), warmMs + (measureMs ?? 600_000)),
  ];

  async function loop(lane: Lane): Promise<void> {
    while (performance.now() < end && problems.length === 0) {
      if (recording && calls-- <= 0) return;
      const start = performance.now();
      const problem = await lane.call(String(number++));
      if (problem !== undefined) problems.push(problem);
      if (recording) times.push(performance.now() - start);
    }
  }
  await Promise.all(lanes.map(loop));
  const seconds = (performance.now() - started) / 1000;
  const cpu = usedBy(target) - cpuBefore;
  timers.forEach(clearTimeout);

  times.sort((a, b) => a - b);
  return {
    calls: times.length,
    failed: problems.length,
    ...(problems[0] && { firstFailure: problems[0] }),
    callsPerSecond: times.length / seconds,
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
    ...(target.pid && { cpuUs: cpu / times.length }),
  };
}

function usedBy({ pid }: Target): number {
  return pid ? cpuUs(pid) : 0;
}
