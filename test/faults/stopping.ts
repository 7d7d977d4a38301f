import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Attack, Tally } from '../attacks/attack.ts';
import { readEventsOf } from '../e2e/event-reader.ts';
import { poll, startProxy, type RunningProxy } from '../e2e/start-proxy.ts';
import { fixture } from '../fixtures/start.ts';
import { callOnce, pause, tally as count, type Answer } from './calls.ts';

const RUNNING = 200;
const HELD = 20;
const LATE = 10;
const STREAMS = 5;
/** In the suite a machine may be busy with something else. */
const DEAF_MS = { full: 100, quick: 20_000 };
const EXIT_MS = { full: 30_000, quick: 110_000 };

export const stopping: Attack = {
  threat: 'F21',
  title: 'SIGTERM with calls under way, calls that wait for a person, and open streams',
  async run(tally, scale) {
    const mcpServers = { up: { ...fixture('annotated.mjs'), concurrency: 250 } };
    const approvals = { require: ['destructive'], wait: '60s' };
    const proxy = await startProxy({ config: { mcpServers, approvals } });
    const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-stopping-'));
    const until = join(dir, 'go');
    const slow = (calls: number, more: object) =>
      many(calls, () => callOnce(proxy, 'up:slow', { args: { ms: 120_000, ...more } }));
    const held = many(HELD, (n) =>
      callOnce(proxy, 'up:destructive', { args: { text: `held ${n}` }, operation: 'destructive' }),
    );
    const late = slow(scale === 'full' ? LATE : 0, {});
    await underWay(proxy, 0);
    const streams = await Promise.all(Array.from({ length: STREAMS }, () => readEventsOf(proxy)));
    // They end when they are told to: all of them must be under way first, however long that takes.
    const running = slow(RUNNING, { until });
    await underWay(proxy, RUNNING + (scale === 'full' ? LATE : 0));
    const usualMs = await timeConnect(proxy);
    const started = performance.now();
    const exiting = proxy.stop('SIGTERM');
    const deafMs = await untilRefused(proxy, started);
    writeFileSync(until, '');
    const [ran, waited, cut] = await Promise.all([running, held, late]);
    const exit = await exiting;
    const exitMs = Math.round(performance.now() - started);
    await Promise.all(streams.map((stream) => stream.stop()));
    rmSync(dir, { recursive: true, force: true });
    tally.held(
      deafMs < DEAF_MS[scale] + 5 * usualMs,
      `still accepting after ${deafMs} ms (a connection took ${usualMs} ms before)`,
    );
    tally.held(
      ran.every(({ code }) => code === 'ok'),
      `calls under way: ${JSON.stringify(count(ran))}`,
    );
    tally.held(
      waited.every(({ code }) => code === 'APPROVAL_PENDING'),
      `calls that waited: ${JSON.stringify(count(waited))}`,
    );
    tally.held(
      cut.every(({ code }) => code === 'OUTCOME_UNKNOWN'),
      `calls that took too long: ${JSON.stringify(count(cut))}`,
    );
    tally.held(exit === 0 && exitMs < EXIT_MS[scale], `exit code ${exit} after ${exitMs} ms`);
    await judgeRestart(proxy, [...ran, ...cut], tally);
    tally.figure(
      `refuses after ${Math.round(deafMs)} ms; ${ran.filter(({ code }) => code === 'ok').length} of ${ran.length} answered, ${waited.length} told to come back, ${cut.length} cut off and told so; exit ${exit} after ${exitMs} ms`,
    );
  },
};

const many = (calls: number, make: (n: number) => Promise<Answer>): Promise<Answer[]> =>
  Promise.all(Array.from({ length: calls }, (_, n) => make(n)));

const underWay = (proxy: RunningProxy, calls: number) =>
  poll('the calls', proxy.stderr, async () => {
    const { calls: now, approvals } = await proxy.rest.request('status', {});
    return (now.running >= calls && approvals.pending === HELD) || undefined;
  });

function tryConnect({ url }: RunningProxy): Promise<'taken' | 'refused'> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.once('connect', () => (socket.destroy(), resolve('taken')));
    socket.once('error', () => resolve('refused'));
  });
}

async function timeConnect(proxy: RunningProxy): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < 10; n++) {
    const began = performance.now();
    await fetch(`${proxy.url}/healthz`);
    times.push(performance.now() - began);
  }
  return Math.max(...times);
}

async function untilRefused(proxy: RunningProxy, since: number): Promise<number> {
  while ((await tryConnect(proxy)) === 'taken' && performance.now() - since < 10_000) await pause(2);
  return performance.now() - since;
}

/** Everything that was answered is on record, and who waited can go on where it was. */
async function judgeRestart(proxy: RunningProxy, answers: Answer[], tally: Tally): Promise<void> {
  const again = await startProxy({ home: proxy.home });
  try {
    for (const [status, code] of [
      ['success', 'ok'],
      ['unknown', 'OUTCOME_UNKNOWN'],
    ] as const) {
      const { total } = await again.rest.request('listActivity', { type: 'tool_call', status, limit: 1 });
      const told = answers.filter((answer) => answer.code === code).length;
      tally.held(total === told, `${total} of ${told} records say ${status}`);
    }
    const { approvals } = await again.rest.request('listApprovals', { status: 'pending', limit: 100 });
    tally.held(approvals.length === HELD, `${approvals.length} of ${HELD} calls still wait`);
    const one = approvals[0]!;
    await again.rest.request('decideApproval', { id: one.id, body: { decision: 'approve' } });
    const args = one.arguments as Record<string, unknown>;
    const { code } = await callOnce(again, 'up:destructive', { args, operation: 'destructive' });
    tally.held(code === 'ok', `approved after the restart, and repeated: ${code}`);
  } finally {
    await again.dispose();
  }
}
