import type { Attack, Tally } from '../attacks/attack.ts';
import { poll, startProxy, type RunningProxy } from '../e2e/start-proxy.ts';
import { startBadNetwork, type BadNetwork, type Weather } from '../fixtures/bad-network.ts';
import { startHttpFixture, type HttpFixture } from '../fixtures/start.ts';
import { fillQueue } from '../fixtures/full-queue.ts';
import { callOnce, descriptorsOf, type Answer } from './calls.ts';

const TOTAL_MS = 3_000;
const IDLE_MS = 1_000;
const CONNECT_MS = 1_000;
const TEXT = 'x'.repeat(2_000);

interface Trouble {
  name: string;
  weather: Weather;
  /** What the caller must be told; the phase where a limit has passed. */
  code: string;
  server?: string;
  phase?: string;
  limitMs?: number;
}

const TROUBLES: Trouble[] = [
  { name: 'latency', weather: { kind: 'latency', ms: 300 }, code: 'ok' },
  { name: 'bandwidth', weather: { kind: 'bandwidth', bytesPerSecond: 20_000 }, code: 'ok' },
  {
    name: 'slicer',
    weather: { kind: 'slicer', everyMs: 100 },
    code: 'UPSTREAM_TIMEOUT',
    phase: 'first_byte',
    limitMs: TOTAL_MS,
  },
  {
    name: 'thin',
    weather: { kind: 'bandwidth', bytesPerSecond: 400 },
    code: 'UPSTREAM_TIMEOUT',
    phase: 'total',
    limitMs: TOTAL_MS,
  },
  {
    name: 'deaf',
    weather: { kind: 'deaf' },
    code: 'UPSTREAM_TIMEOUT',
    phase: 'first_byte',
    limitMs: TOTAL_MS,
  },
  {
    name: 'stall',
    weather: { kind: 'stall', afterBytes: 500 },
    code: 'UPSTREAM_TIMEOUT',
    phase: 'idle',
    limitMs: IDLE_MS,
  },
  { name: 'reset', weather: { kind: 'reset', afterBytes: 0 }, code: 'OUTCOME_UNKNOWN' },
  { name: 'reset in the answer', weather: { kind: 'reset', afterBytes: 500 }, code: 'OUTCOME_UNKNOWN' },
  { name: 'half-close', weather: { kind: 'half_close', afterBytes: 0 }, code: 'OUTCOME_UNKNOWN' },
  {
    name: 'half-close in the answer',
    weather: { kind: 'half_close', afterBytes: 500 },
    code: 'OUTCOME_UNKNOWN',
  },
];

const CONNECT: Trouble = {
  name: 'connect',
  weather: { kind: 'fine' },
  code: 'SERVER_UNAVAILABLE',
  phase: 'connect',
  limitMs: CONNECT_MS,
};

export const slowUpstream: Attack = {
  threat: 'F11',
  title: 'a slow, thin, cut or silent network before a server',
  async run(tally, scale) {
    const real = await startHttpFixture('http-echo.mjs', '/mcp');
    const network = await startBadNetwork(Number(new URL(real.url).port));
    const limits = {
      timeout: `${TOTAL_MS}ms`,
      idle_timeout: `${IDLE_MS}ms`,
      connect_timeout: `${CONNECT_MS}ms`,
    };
    const far = await startHttpFixture('http-echo.mjs', '/mcp', '--backlog', '1');
    const up = { url: `http://127.0.0.1:${network.port}/mcp`, ...limits };
    const proxy = await startProxy({ config: { mcpServers: { up, far: { url: far.url, ...limits } } } });
    try {
      await settle(proxy, network);
      const before = [network.open(), descriptorsOf(proxy.pid)] as const;
      const told: string[] = [];
      for (let cycle = 0; cycle < (scale === 'full' ? 10 : 1); cycle++)
        for (const trouble of TROUBLES) {
          network.weather = trouble.weather;
          const answer = await callOnce(proxy, 'up:echo', { args: { text: TEXT }, operation: 'write' });
          judge(trouble, answer, tally);
          if (cycle === 0)
            told.push(`${trouble.name} ${trouble.phase ?? answer.code} ${Math.round(answer.ms)} ms`);
          await settle(proxy, network);
        }
      const after = [network.open(), descriptorsOf(proxy.pid)] as const;
      tally.held(after[0] <= before[0] + 2, `${before[0]} connections before, ${after[0]} after`);
      tally.held(after[1] <= before[1] + 4, `${before[1]} descriptors before, ${after[1]} after`);
      tally.figure(
        `${told.join(', ')}; connections ${before[0]} → ${after[0]}, descriptors ${before[1]} → ${after[1]}`,
      );
      tally.figure(await unconnected(proxy, far, tally));
    } finally {
      await proxy.dispose();
      await network.close();
      await real.stop();
      await far.stop();
    }
  },
};

function judge({ name, code, phase, limitMs, server = 'up' }: Trouble, answer: Answer, tally: Tally): void {
  const { details, message = '' } = errorOf(answer);
  tally.held(answer.code === code, `${name}: ${answer.code}, not ${code}: ${message}`);
  if (code !== 'ok')
    tally.held(message.includes(`'${server}'`), `${name}: the server is not named: ${message}`);
  if (phase === undefined) return;
  tally.held(
    details?.phase === phase,
    `${name}: the phase is ${String(details?.phase)}, not ${phase}: ${message}`,
  );
  tally.held(
    details?.limit_ms === limitMs && message.includes(`${limitMs} ms`),
    `${name}: the limit is not named: ${message}`,
  );
  tally.held(answer.ms < limitMs! + 1_500, `${name}: told after ${answer.ms} ms`);
}

function errorOf({ text }: Answer): { message?: string; details?: Record<string, unknown> } {
  try {
    return (JSON.parse(text) as { error?: object }).error ?? {};
  } catch {
    return {};
  }
}

/** The network is fine again, and the server is called as before; the breaker may have to be waited for. */
async function settle(proxy: RunningProxy, network: BadNetwork): Promise<void> {
  network.weather = { kind: 'fine' };
  await poll(
    'the server to be called again',
    proxy.stderr,
    async () => (await callOnce(proxy, 'up:echo', { args: { text: 'x' } })).code === 'ok' || undefined,
  );
}

/** Nobody takes connections any more, but the system lets them knock: calls that find no open connection get none in time. */
async function unconnected(proxy: RunningProxy, far: HttpFixture, tally: Tally): Promise<string> {
  await callOnce(proxy, 'far:echo', { args: { text: 'x' } });
  const queue = await fillQueue(far);
  try {
    const answers = await Promise.all(
      Array.from({ length: 6 }, () =>
        callOnce(proxy, 'far:echo', { args: { text: 'x' }, operation: 'write' }),
      ),
    );
    const knocked = answers.filter((answer) => errorOf(answer).details?.phase === 'connect');
    tally.held(
      knocked.length > 0,
      `connect: ${JSON.stringify(answers.map((answer) => errorOf(answer).message))}`,
    );
    for (const answer of knocked) judge({ ...CONNECT, server: 'far' }, answer, tally);
    return `connect ${knocked.map(({ ms }) => Math.round(ms))[0]} ms`;
  } finally {
    queue.free();
  }
}
