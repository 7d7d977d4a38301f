import type { Attack } from '../attacks/attack.ts';
import { poll, startProxy, type RunningProxy } from '../e2e/start-proxy.ts';
import { fixture } from '../fixtures/start.ts';
import { callOnce, memoryOf, pause, percentile, timeGood, usualMs } from './calls.ts';

export const good = fixture('annotated.mjs');
export const bad = fixture('misbehaving.mjs');

/** A server that has ended is not waited for until the limit of its call, a minute. In the suite a machine may be busy with something else. */
const TOLD_MS = { full: 1_500, quick: 30_000 };

export async function withProxy(
  mcpServers: Record<string, unknown>,
  run: (proxy: RunningProxy) => Promise<void>,
): Promise<void> {
  const proxy = await startProxy({ config: { mcpServers } });
  try {
    await run(proxy);
  } finally {
    await proxy.dispose();
  }
}

export const viewOf = async (proxy: RunningProxy, name: string) =>
  (await proxy.rest.request('listServers', {})).servers.find((server) => server.name === name)!;

export const crash: Attack = {
  threat: 'F09',
  title: 'a server that ends in the middle of a call',
  run: (tally, scale) =>
    withProxy({ bad }, async (proxy) => {
      for (const tool of ['bad:exit_mid_call', 'bad:crash']) {
        await poll(
          'the server',
          proxy.stderr,
          async () => (await viewOf(proxy, 'bad')).state === 'ready' || undefined,
        );
        const { restarts } = await viewOf(proxy, 'bad');
        const usual = await usualMs(proxy, 'bad:echo');
        const { code, ms } = await callOnce(proxy, tool, { operation: 'write' });
        tally.held(code === 'OUTCOME_UNKNOWN', `${tool}: ${code}`);
        tally.held(
          ms < TOLD_MS[scale] + 10 * usual,
          `${tool}: told after ${ms} ms, a call usually takes ${usual} ms`,
        );
        await poll('the server to be back', proxy.stderr, async () => {
          const now = await viewOf(proxy, 'bad');
          return (now.state === 'ready' && now.restarts > restarts) || undefined;
        });
        const after = (await viewOf(proxy, 'bad')).restarts;
        tally.held(after === restarts + 1, `${after - restarts} restarts for one crash`);
        tally.figure(`told after ${Math.round(ms)} ms`);
      }
    }),
};

export const crashLoop: Attack = {
  threat: 'F10',
  title: 'a server that ends at once, again and again',
  run: (tally, scale) =>
    withProxy({ good, bad: fixture('misbehaving.mjs', '--exit-at-start') }, async (proxy) => {
      const seconds = scale === 'full' ? 60 : 4;
      const times = await timeGood(proxy, 'good:read_only', seconds * 1000);
      const { state, restarts, last_error: why } = await viewOf(proxy, 'bad');
      const lines = proxy
        .stderr()
        .split('\n')
        .filter((line) => line.includes("'bad'")).length;
      const { code, text } = await callOnce(proxy, 'bad:echo');
      tally.held(state === 'failed' && why !== undefined, `shown as ${state}: ${why}`);
      tally.held(restarts < seconds * 4, `${restarts} starts in ${seconds} s`);
      tally.held(lines < 20, `${lines} lines in the log`);
      tally.held(times.every(Number.isFinite), 'the good server had failed calls');
      tally.held(code !== 'ok' && text.length > 0, `a call of it: ${code}`);
      tally.figure(
        `${restarts} starts in ${seconds} s, ${lines} log lines, good p99 ${percentile(times, 0.99).toFixed(1)} ms`,
      );
    }),
};

export const garbage: Attack = {
  threat: 'F18',
  title: 'noise, answers of others, twice and too late',
  run: (tally) =>
    withProxy({ bad: fixture('misbehaving.mjs', '--banner') }, async (proxy) => {
      const noise = await callOnce(proxy, 'bad:garbage');
      tally.held(noise.text.includes('after garbage'), noise.text.slice(0, 200));
      const wrong = await callOnce(proxy, 'bad:wrong_id');
      tally.held(wrong.text.includes('answer') && !wrong.text.includes('wrong'), wrong.text.slice(0, 200));
      const late = await callOnce(proxy, 'bad:late', { args: { ms: 2_500 }, timeout: '300ms' });
      tally.held(late.code === 'UPSTREAM_TIMEOUT', late.code);
      await pause(2_500);
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, n) => callOnce(proxy, 'bad:echo', { args: { nonce: `n${n}.` } })),
      );
      const crossed = answers.filter(({ text }, n) => !text.includes(`n${n}.`)).length;
      tally.held(crossed === 0, `${crossed} got another's answer`);
      tally.figure(`50 echoes afterwards, ${crossed} crossed`);
    }),
};

export const stderrFlood: Attack = {
  threat: 'F19',
  title: 'a flood on stderr',
  run: (tally, scale) =>
    withProxy({ good, bad }, async (proxy) => {
      const bytes = scale === 'full' ? 1_000_000_000 : 100_000_000;
      const before = memoryOf(proxy.pid, 'VmRSS');
      const [flood, times] = await Promise.all([
        callOnce(proxy, 'bad:flood_stderr', { args: { bytes } }),
        timeGood(proxy, 'good:read_only', 1_000),
      ]);
      const grown = memoryOf(proxy.pid, 'VmHWM') - before;
      tally.held(flood.code === 'ok', `the call: ${flood.code}`);
      tally.held(grown < 100, `memory grew by ${grown} MB`);
      tally.held(times.every(Number.isFinite), 'the good server had failed calls');
      tally.figure(
        `${bytes / 1e6} MB in ${(flood.ms / 1000).toFixed(1)} s, memory +${grown} MB, good p99 ${percentile(times, 0.99).toFixed(1)} ms`,
      );
    }),
};
