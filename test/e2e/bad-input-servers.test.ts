import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ErrorCode, ProxyError } from '../../src/contract/errors.ts';
import { fixture } from '../fixtures/start.ts';
import { startHere } from './start-here.ts';
import { poll, type RunningProxy } from './start-proxy.ts';

// Servers that go wrong, each beside one that works: only the caller of the bad one notices.

let proxy: RunningProxy;
beforeAll(async () => {
  const bad = { ...fixture('misbehaving.mjs', '--banner'), timeout: '20s' };
  const quick = { ...fixture('misbehaving.mjs'), timeout: '300ms' };
  // Each crash makes a server wait longer before it is started again.
  const talker = fixture('misbehaving.mjs');
  const broken = fixture('misbehaving.mjs', '--exit-at-start');
  proxy = await startHere({
    config: { mcpServers: { bad, quick, talker, broken, good: fixture('annotated.mjs') } },
  });
});
afterAll(() => proxy?.dispose());

// oxlint-disable-next-line typescript/no-explicit-any -- results of every kind are looked at field by field
type Result = any;

function call(name: string, args: Record<string, unknown> = {}): Promise<Result> {
  const body = { tool_variant: 'call_tool_read' as const, name, args, intent: { operation_type: 'read' } };
  return proxy.rest.request('callTool', { body });
}

/** Calls the good server again and again until the other call is over. Every one must be answered. */
async function beside<T>(other: Promise<T>): Promise<{ outcome: PromiseSettledResult<T>; answered: number }> {
  let answered = 0;
  const state = { over: false };
  const settled = Promise.allSettled([other]).finally(() => (state.over = true));
  do {
    expect((await call('good:read_only', { text: `${answered}` })).content[0].text).toBe(
      `{"text":"${answered}"}`,
    );
    answered++;
  } while (!state.over);
  return { outcome: (await settled)[0], answered };
}

async function lastRecord(tool: string) {
  return poll(
    `the record of ${tool}`,
    () => proxy.stderr(),
    async () => {
      const { records } = await proxy.rest.request('listActivity', { tool, limit: 1 });
      return records[0]?.status === 'pending' ? undefined : records[0];
    },
  );
}

async function backAgain(server: string): Promise<void> {
  await poll(
    `${server} to be back`,
    () => proxy.stderr(),
    async () => {
      const result = await call(`${server}:echo`, { text: 'back' }).catch(() => undefined);
      return result?.content[0].text === '{"text":"back"}' || undefined;
    },
  );
}

describe.each<[what: string, tool: string, args: Record<string, unknown>, code: ErrorCode, says: RegExp]>([
  ['exits in the middle of a call', 'bad:exit_mid_call', { code: 7 }, 'OUTCOME_UNKNOWN', /bad/],
  ['is killed in the middle of a call', 'bad:crash', {}, 'OUTCOME_UNKNOWN', /bad/],
  ['never answers', 'quick:never', {}, 'UPSTREAM_TIMEOUT', /300 ?ms/],
  ['returns 100 MB', 'bad:huge', { bytes: 100 * 1024 * 1024 }, 'RESULT_TOO_LARGE', /bad/],
  ['never stops answering', 'talker:endless', {}, 'RESULT_TOO_LARGE', /talker/],
  ['answers 10,000 levels deep', 'bad:deep', { levels: 10_000 }, 'UPSTREAM_FAILED', /deep|nest/i],
  ['answers with no result', 'bad:no_result', {}, 'UPSTREAM_FAILED', /bad/],
])('a server that %s', (...[, tool, args, code, says]) => {
  test('tells its own caller, and the log; the other server keeps answering', async () => {
    const { outcome, answered } = await beside(call(tool, args));
    expect(answered).toBeGreaterThan(0);
    expect(outcome).toMatchObject({
      status: 'rejected',
      reason: { code, message: expect.stringMatching(says) as string },
    });
    const record = await lastRecord(tool);
    expect(record).toMatchObject({ error_code: code, server_name: tool.split(':')[0] });
    expect(['error', 'unknown']).toContain(record.status);
    await backAgain(tool.split(':')[0]!);
  });
});

test('garbage around an answer is skipped, and only the server’s log has it', async () => {
  const { outcome } = await beside(call('bad:garbage'));
  expect(outcome).toMatchObject({ status: 'fulfilled', value: { content: [{ text: 'after garbage' }] } });
});

test('answers for others, and answers given twice, reach nobody', async () => {
  const { outcome } = await beside(call('bad:wrong_id'));
  expect(outcome).toMatchObject({ status: 'fulfilled', value: { content: [{ text: 'answer' }] } });
});

test('a server that floods its stderr loses lines, not calls; the last one is kept', async () => {
  const { outcome } = await beside(call('bad:flood_stderr', { bytes: 20 * 1024 * 1024 }));
  expect(outcome).toMatchObject({ status: 'fulfilled' });
  const logs = await poll(
    'the last line',
    () => proxy.stderr(),
    async () => {
      const answer = await proxy.rest.request('serverLogs', { name: 'bad', tail: 5 });
      return answer.lines.at(-1)?.text === 'the last line' ? answer : undefined;
    },
  );
  expect(logs.dropped).toBeGreaterThan(0);
});

test('a server that does not start is named with its reason, and its tools are not there', async () => {
  const view = await proxy.rest.request('getServer', { name: 'broken' });
  expect(['failed', 'connecting']).toContain(view.state);
  expect(view.last_error).toMatch(/exit|ended|code 3/i);
  await expect(call('broken:echo')).rejects.toMatchObject({
    code: 'SERVER_UNAVAILABLE',
    message: expect.stringMatching(/'broken' is not connected.*(upstream logs broken|try again)/s) as string,
  });
  const { lines } = await proxy.rest.request('serverLogs', { name: 'broken', tail: 10 });
  expect(lines.map(({ text }) => text)).toContain('cannot find my configuration');
});

test('many hanging calls fill their own server alone', async () => {
  const hanging = Promise.allSettled(Array.from({ length: 80 }, () => call('quick:never')));
  const { answered } = await beside(hanging);
  expect(answered).toBeGreaterThan(0);
  // Those that were sent run out of time; the open circuit breaker rejects those that waited behind them; they were never sent.
  const codes = (await hanging).map((one) => one.status === 'rejected' && (one.reason as ProxyError).code);
  const timedOut = codes.filter((code) => code === 'UPSTREAM_TIMEOUT').length;
  expect(timedOut).toBeGreaterThanOrEqual(5);
  expect(codes.filter((code) => code === 'SERVER_UNAVAILABLE')).toHaveLength(80 - timedOut);
});
