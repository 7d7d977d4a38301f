import type { Attack, Tally } from '../attacks/attack.ts';
import { toProxyError } from '../../src/contract/errors.ts';
import { exchange, modern, openSession, reading } from '../e2e/raw-token.ts';
import { poll, startProxy, type RunningProxy } from '../e2e/start-proxy.ts';
import { shiftableClock, shiftClock } from '../fixtures/shifted-clock.ts';
import { fixture } from '../fixtures/start.ts';
import { callOnce, pause } from './calls.ts';

const LIMIT_MS = 5_000;
/** A busy machine takes its time; the clock is set by more than that. */
const LATE_MS = 50_000;
const SWEEP_MS = 11_000;

export const clockJump: Attack = {
  threat: 'F25',
  title: 'the clock jumps a day ahead, two back, and is right again',
  async run(tally, scale) {
    const up = { ...fixture('annotated.mjs'), timeout: `${LIMIT_MS}ms` };
    const mute = { ...fixture('misbehaving.mjs'), timeout: '500ms' };
    const approvals = { require: ['destructive'], wait: '1ms', ttl: '10m' };
    const proxy = await startProxy({ config: { mcpServers: { up, mute }, approvals }, env: shiftableClock });
    try {
      const { token } = await proxy.rest.request('createToken', { body: { name: 'agent', expires: '1h' } });
      const session = await openSession(proxy.url, proxy.key);
      const first = await hold(proxy, 'before');
      await jump(proxy, 'ahead', tally);
      tally.held((await tokenStatus(proxy, token)) === 401, 'a day later a token for an hour is still good');
      tally.held(
        (await decide(proxy, first)) !== 'approved',
        'a day later a call that was held for ten minutes can be approved',
      );
      if (scale === 'full') await pause(SWEEP_MS);
      tally.held((await ping(proxy, session)) === 200, 'a session ended because the clock jumped');
      const patience = await losePatience(proxy);
      const waiting = waitForDecision(proxy);
      await jump(proxy, 'back', tally);
      await judgePatience(proxy, { lost: patience, decision: await waiting }, tally);
      tally.held(
        (await decide(proxy, first)) !== 'approved',
        'what had expired can be approved after a jump back',
      );
      const second = await hold(proxy, 'back');
      tally.held(
        (await decide(proxy, second)) === 'approved',
        'a call that was held after the jump cannot be approved',
      );
      const { code } = await callOnce(proxy, 'up:destructive', {
        args: { text: 'back' },
        operation: 'destructive',
      });
      tally.held(code === 'ok', `approved after the jump back, and repeated: ${code}`);
      await jump(proxy, 'right', tally);
      tally.held((await tokenStatus(proxy, token)) === 200, 'the token is not good again');
      await judgeLog(proxy, tally);
    } finally {
      await proxy.dispose();
    }
  },
};

/** Moves the clock while one call runs that ends in time, and one that does not: neither may notice. */
async function jump(proxy: RunningProxy, name: string, tally: Tally): Promise<void> {
  const short = callOnce(proxy, 'up:slow', { args: { ms: 400, text: `short ${name}` } });
  const long = callOnce(proxy, 'up:slow', { args: { ms: 60_000, text: `long ${name}` } });
  await pause(200);
  shiftClock(proxy);
  const [{ code }, { code: late, ms }] = await Promise.all([short, long]);
  tally.held(code === 'ok', `${name}: a call during the jump: ${code}`);
  const inTime = ms > LIMIT_MS - 200 && ms < LIMIT_MS + LATE_MS;
  tally.held(late === 'UPSTREAM_TIMEOUT' && inTime, `${name}: a call over the limit: ${late} after ${ms} ms`);
}

const WRONG_KEYS = 12;

/** A server that opens its circuit breaker because it does not answer, and a source that is rate limited because it guesses keys. */
async function losePatience(proxy: RunningProxy): Promise<string[]> {
  const spared = Array.from({ length: 5 }, () => callOnce(proxy, 'mute:never'));
  const guesses = Array.from({ length: WRONG_KEYS }, () =>
    callOnce(proxy, 'up:read_only', { token: 'wrong' }),
  );
  await Promise.all(guesses);
  await Promise.all(spared);
  const { breaker } = await proxy.rest.request('getServer', { name: 'mute' });
  return [breaker, (await callOnce(proxy, 'up:read_only', { token: 'wrong' })).code];
}

/** A call that is kept open for a while, in case somebody decides. */
async function waitForDecision(proxy: RunningProxy): Promise<{ code: string; ms: number }> {
  const since = performance.now();
  const body = {
    tool_variant: 'call_tool_destructive' as const,
    name: 'up:destructive',
    args: { text: 'kept open' },
    intent: { operation_type: 'destructive' as const },
    approval_wait: `${LIMIT_MS}ms`,
  };
  const asked = proxy.rest.request('callTool', { body }).then(
    () => 'ok',
    (error: unknown) => toProxyError(error).code,
  );
  const code = await Promise.race([asked, pause(LIMIT_MS + 2 * LATE_MS).then(() => 'no answer')]);
  return { code, ms: performance.now() - since };
}

interface Patience {
  lost: string[];
  decision: { code: string; ms: number };
}

/** Whatever waits for a time to pass waits for it by another clock than the one that was set. */
async function judgePatience(
  proxy: RunningProxy,
  { lost: [breaker, throttled], decision: { code, ms } }: Patience,
  tally: Tally,
): Promise<void> {
  tally.held(breaker !== 'closed', `five calls without an answer, and the server is not spared: ${breaker}`);
  const { code: guess, retryAfter } = await callOnce(proxy, 'up:read_only', { token: 'wrong' });
  const wait = Number(retryAfter ?? 0);
  tally.held(
    throttled === 'TOO_MANY_REQUESTS' && guess === throttled && wait <= 60,
    `back: after ${WRONG_KEYS} wrong keys ${throttled}, and then ${guess}, retry after ${wait} s`,
  );
  const again = await poll('the server to be tried again', proxy.stderr, async () => {
    const { code: now } = await callOnce(proxy, 'mute:echo');
    return now === 'ok' ? now : undefined;
  }).catch(() => 'never');
  tally.held(again === 'ok', 'back: a server that was spared for seconds is spared on and on');
  const inTime = ms > LIMIT_MS - 200 && ms < LIMIT_MS + LATE_MS;
  tally.held(
    code === 'APPROVAL_PENDING' && inTime,
    `back: a call that is kept open for ${LIMIT_MS} ms: ${code} after ${ms} ms`,
  );
  const { uptime_s: uptime } = await proxy.rest.request('status', {});
  tally.held(uptime >= 0 && uptime < 600, `back: the proxy says that it runs for ${uptime} s`);
}

async function hold(proxy: RunningProxy, mark: string): Promise<string> {
  await callOnce(proxy, 'up:destructive', { args: { text: mark }, operation: 'destructive' });
  return poll(`the hold ${mark}`, proxy.stderr, async () => {
    const { approvals } = await proxy.rest.request('listApprovals', { limit: 20 });
    return approvals.find(({ arguments: args }) => (args as { text: string }).text === mark)?.id;
  });
}

const decide = (proxy: RunningProxy, id: string): Promise<string> =>
  proxy.rest.request('decideApproval', { id, body: { decision: 'approve' } }).then(
    () => 'approved',
    (error: unknown) => toProxyError(error).code,
  );

const tokenStatus = (proxy: RunningProxy, token: string): Promise<number> =>
  exchange(proxy.url, { token, ...modern('tools/call', reading('up:read_only')) }).status;

const ping = (proxy: RunningProxy, headers: Record<string, string>): Promise<number> =>
  exchange(proxy.url, { token: proxy.key, headers, body: { jsonrpc: '2.0', id: 1, method: 'ping' } }).status;

/** Whatever the clock said, the records stand in the order in which the calls were made, and the chain holds. */
async function judgeLog(proxy: RunningProxy, tally: Tally): Promise<void> {
  const { verdict } = await proxy.rest.request('verifyActivity', {});
  tally.held(verdict === 'intact', `the log: ${verdict}`);
  const { records } = await proxy.rest.request('listActivity', {
    type: 'tool_call',
    tool: 'slow',
    limit: 50,
  });
  const order = records
    .map(({ arguments: args }) => (args as { text: string }).text.split(' ')[1])
    .toReversed();
  const wanted = ['ahead', 'ahead', 'back', 'back', 'right', 'right'];
  tally.held(
    JSON.stringify(order) === JSON.stringify(wanted),
    `the order of the records: ${order.join(', ')}`,
  );
  const wrong = records.filter(({ duration_ms: ms }) => ms === undefined || ms < 0 || ms > 10_000);
  tally.held(wrong.length === 0, `${wrong.length} records have an impossible duration`);
  tally.figure(
    `${records.length} calls during three jumps in order, the log ${verdict}; shifted inside the process, as there is no faketime here`,
  );
}
