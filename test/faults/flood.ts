import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Attack, Tally } from '../attacks/attack.ts';
import { poll, startProxy, type RunningProxy } from '../e2e/start-proxy.ts';
import { fixture } from '../fixtures/start.ts';
import { callOnce, memoryOf, pause, percentile } from './calls.ts';
import { countCodes, p99Of, runLoad, type Outcome } from './load.ts';

const BARE = fileURLToPath(new URL('bare-server.mjs', import.meta.url));
const SHED_MS = 500;
const MOST_MB = 400;
const BACK_MS = 5_000;

const FULL = { calls: 10_000, ms: 4_000, limits: { calls: 500, queue: 500, connections: 1_024 } };
const QUICK = { calls: 2_000, ms: 3_000, limits: { calls: 100, queue: 100, connections: 256 } };

const isShed = ({ code }: Outcome) => code === 'OVERLOADED' || code === 'SERVER_BUSY';
/** Told so as soon as it was heard, not after a wait for its turn. */
const isAtOnce = (outcome: Outcome) =>
  isShed(outcome) && !outcome.message?.includes('no slot was free within');
const isAtDoor = ({ message }: Outcome) => message?.includes('before it was read') === true;

/** What this machine, as busy as it is now, can do at best: nothing but the refusals. */
async function timeBare(calls: number): Promise<number> {
  const bare = spawn(process.execPath, [BARE], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [port] = (await once(bare.stdout, 'data')) as [Buffer];
  const url = `http://127.0.0.1:${String(port).trim()}`;
  const { bare: outcomes } = await runLoad({ url, key: 'none' }, [{ id: 'bare', name: 'a:b', count: calls }]);
  bare.stdin.end();
  return p99Of(outcomes!, 'waitMs');
}

export const flood: Attack = {
  threat: 'F14',
  title: 'many more calls at once than there is room for',
  async run(tally, scale) {
    const { calls, ms, limits } = scale === 'full' ? FULL : QUICK;
    const up = { ...fixture('annotated.mjs'), concurrency: limits.calls };
    const config = { limits: { ...limits, calls_per_client: 100_000 }, mcpServers: { up } };
    const proxy = await startProxy({ config });
    try {
      const warm = await runLoad(proxy, [{ id: 'warm', name: 'up:read_only', perSecond: 200, forMs: 4_000 }]);
      const before = await timeBare(calls);
      const job = { id: 'all', name: 'up:slow', args: { ms }, count: calls };
      const outcomes = (await runLoad(proxy, [job])).all!;
      const backMs = await timeBack(proxy);
      judgeAnswers(outcomes, tally);
      tally.held(backMs <= BACK_MS, `normal service after ${backMs} ms`);
      const peak = memoryOf(proxy.pid, 'VmHWM');
      tally.held(peak < MOST_MB, `${peak} MB of memory`);
      // In turns, so that noise meets both.
      const bare = Math.max(before, await timeBare(calls));
      judgeSheds(outcomes, bare, tally);
      await judgeRecords(proxy, [...warm.warm!, ...outcomes], tally);
      tally.figure(
        `${calls} calls: ${JSON.stringify(countCodes(outcomes))}, peak ${peak} MB, back after ${backMs} ms`,
      );
    } finally {
      await proxy.dispose();
    }
  },
};

async function timeBack(proxy: RunningProxy): Promise<number> {
  const ended = performance.now();
  while (performance.now() - ended < 2 * BACK_MS) {
    if ((await callOnce(proxy, 'up:read_only')).code === 'ok') break;
    await pause(50);
  }
  return Math.round(performance.now() - ended);
}

function judgeAnswers(outcomes: Outcome[], tally: Tally): void {
  const odd = outcomes.filter((outcome) => outcome.code !== 'ok' && !isShed(outcome));
  tally.held(odd.length === 0, `neither a result nor a retryable error: ${JSON.stringify(countCodes(odd))}`);
  const mute = outcomes.filter(
    (outcome) => isShed(outcome) && (outcome.status !== 429 || !outcome.retryAfter),
  );
  tally.held(mute.length === 0, `${mute.length} refusals without 429 and Retry-After`);
}

function judgeSheds(outcomes: Outcome[], bare: number, tally: Tally): void {
  const sheds = outcomes.filter(isAtOnce);
  const waits = sheds.map(({ waitMs }) => waitMs);
  const [p50, p99] = [percentile(waits, 0.5), percentile(waits, 0.99)];
  tally.held(sheds.length > 0, 'nothing was refused: the load was too small');
  tally.held(p99 < Math.max(SHED_MS, 2 * bare), `refusals p99 ${p99} ms; a bare server: ${bare} ms`);
  tally.figure(
    `${sheds.length} refused at once (${outcomes.filter(isAtDoor).length} at the door), from send to answer p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms; a bare server that only refuses: p99 ${bare.toFixed(0)} ms`,
  );
}

/** Each call that was read has a record, and all calls rejected at the door are counted. */
async function judgeRecords(proxy: RunningProxy, outcomes: Outcome[], tally: Tally): Promise<void> {
  const door = outcomes.filter(isAtDoor).length;
  const counted = await poll('the refusals in the log', proxy.stderr, async () => {
    const { records } = await proxy.rest.request('listActivity', { type: 'bad_request', limit: 100 });
    const sum = records.reduce((total, { metadata }) => total + Number(metadata.turned_away ?? 0), 0);
    return sum >= door ? sum : undefined;
  }).catch(() => -1);
  tally.held(counted === door, `${counted} refusals at the door in the log, ${door} answered`);
  const { total } = await proxy.rest.request('listActivity', { type: 'tool_call', limit: 1 });
  // One call more for each look whether it is back.
  const heard = outcomes.length - door;
  tally.held(
    (total ?? 0) > heard && (total ?? 0) < heard + 200,
    `${total} records of ${heard} calls that were heard`,
  );
}
