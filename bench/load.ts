import { setTimeout as sleep } from 'node:timers/promises';
import type { Round, RoundResult, Target } from './load-plan.ts';
import { openHttpLane, openSession, openStdioLane, type Lane } from './load-lanes.ts';
import { cpuUs } from './process-usage.ts';
import { percentile } from './statistics.ts';

// The load generator: a closed loop of N callers in a process of its own. The runner sends a round, this answers with its result.

const sessions = new Map<string, string | undefined>();
/** Longer than the pause after which the proxy begins to index. */
const IDLE_MS = 450;
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

async function measure(round: Round, lanes: Lane[]): Promise<RoundResult> {
  const { target, warmMs, measureMs = 600_000, calls = Infinity } = round;
  const cpuBefore = usedBy(target);
  const times: number[] = [];
  let problem: string | undefined;
  let begun = 0;
  const started = performance.now() + warmMs;
  const end = started + measureMs;

  async function loop(lane: Lane): Promise<void> {
    while (performance.now() < end && problem === undefined && begun++ < calls) {
      const start = performance.now();
      problem ??= await lane.call(String(number++));
      if (start >= started) times.push(performance.now() - start);
    }
  }
  await Promise.all(lanes.map(loop));
  const seconds = (performance.now() - started) / 1000;
  if (problem !== undefined) throw new Error(`a call failed: ${problem}`);
  const cpuUs = target.pid ? ((await usedWhenIdle(target)) - cpuBefore) / begun : undefined;

  times.sort((a, b) => a - b);
  return {
    calls: times.length,
    callsPerSecond: times.length / seconds,
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
    ...(cpuUs !== undefined && { cpuUs }),
  };
}

/** What is left for a pause, as the indexing of records, belongs to the calls that caused it: the meter is read when all is quiet. */
async function usedWhenIdle(target: Target): Promise<number> {
  let used = usedBy(target);
  for (let waited = 0; waited < 5000; waited += IDLE_MS) {
    await sleep(IDLE_MS);
    const now = usedBy(target);
    if (now - used <= 10_000) return now;
    used = now;
  }
  return used;
}

function usedBy({ pid }: Target): number {
  return pid ? cpuUs(pid) : 0;
}
