import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { MadeToken } from '../../src/contract/token.ts';
import { exchange, modern, openSession, reading } from './raw-token.ts';
import { openTokenStage, until, type TokenStage } from './token-stage.ts';

let stage: TokenStage;
let url: string;
let count = 0;
let a: MadeToken;
let b: MadeToken;

beforeAll(async () => {
  stage = await openTokenStage();
  url = stage.proxy.url;
});
afterAll(() => stage.dispose());
beforeEach(async () => {
  count++;
  [a, b] = [await stage.token({ name: `a${count}` }), await stage.token({ name: `b${count}` })];
});

// oxlint-disable-next-line typescript/no-explicit-any -- answers are looked at field by field
const json = (text: string): any => JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
const call = (id: number | string, tool: string, args: Record<string, unknown> = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: reading(tool, args),
});
const callWithProgress = (steps: number) => {
  const progress = call(1, 'up:progress', { steps });
  return { ...progress, params: { ...progress.params, _meta: { progressToken: 'same' } } };
};
const refusedOf = async ({ name }: MadeToken) =>
  (await stage.records({ type: 'bad_request' })).filter(
    ({ metadata }) => metadata.principal === `token:${name}`,
  );

describe('what one token has opened is closed to every other', () => {
  test('a session: no request, no stream (resumed or not), no end', async () => {
    const session = await openSession(url, a.token);
    const ways = [
      { body: call(1, 'up:read_only') },
      { body: { jsonrpc: '2.0', id: 2, method: 'tools/list' } },
      { body: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } } },
      { method: 'GET' as const },
      { method: 'GET' as const, headers: { 'last-event-id': '1' } },
      { method: 'DELETE' as const },
    ];
    for (const { headers = {}, ...way } of ways) {
      const answer = exchange(url, { token: b.token, headers: { ...session, ...headers }, ...way });
      expect(await answer.status).toBe(404);
      expect(json(await answer.ended).error.message).toContain('Session not found');
    }
    expect(await refusedOf(b)).toHaveLength(ways.length);
    // It is still there for its owner, and the operator has no part in it either.
    expect(
      await exchange(url, { token: stage.proxy.key, headers: session, body: call(1, 'up:read_only') }).status,
    ).toBe(404);
    const own = exchange(url, { token: a.token, headers: session, body: call(1, 'up:read_only') });
    expect(json(await own.ended).result.isError).toBeFalsy();
  });

  test('a namesake of a token that was revoked is somebody else', async () => {
    const session = await openSession(url, a.token);
    await stage.proxy.rest.request('revokeToken', { id: a.id });
    const namesake = await stage.token({ name: a.name });
    const answer = exchange(url, { token: namesake.token, headers: session, body: call(1, 'up:read_only') });
    expect(await answer.status).toBe(404);
  });

  test('a call in flight: the same request id and a cancellation from elsewhere do not touch it', async () => {
    const [mine, theirs] = [await openSession(url, a.token), await openSession(url, b.token)];
    const slow = exchange(url, {
      token: a.token,
      headers: mine,
      body: call(7, 'up:slow_cancellable', { ms: 400 }),
    });
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } };
    await exchange(url, { token: b.token, headers: theirs, body: cancel }).ended;
    const same = exchange(url, {
      token: b.token,
      headers: theirs,
      body: call(7, 'up:read_only', { text: 'b' }),
    });
    expect(json(await same.ended).result.content[0].text).toBe('{"text":"b"}');
    expect(json(await slow.ended).result.content[0].text).toBe('slow');
  });

  test('progress goes to who asked for it, also where both chose the same token for it', async () => {
    const [mine, theirs] = [await openSession(url, a.token), await openSession(url, b.token)];
    const both = [
      exchange(url, { token: a.token, headers: mine, body: callWithProgress(3) }),
      exchange(url, { token: b.token, headers: theirs, body: callWithProgress(5) }),
    ];
    const totals = (await Promise.all(both.map(({ ended }) => ended))).map((text) => [
      ...new Set([...text.matchAll(/"total":(\d)/g)].map(([, total]) => total)),
    ]);
    expect(totals).toEqual([['3'], ['5']]);
  });

  test('the state of a question: neither another token, nor another call, nor a changed one', async () => {
    const ask = exchange(url, { token: a.token, ...modern('tools/call', reading('up:asks', { text: 'x' })) });
    const { result } = json(await ask.ended);
    expect(result.resultType).toBe('input_required');
    expect(result.requestState).toMatch(/^mcpproxy\./);
    const next = async (
      token: string,
      { tool = 'up:asks', args = { text: 'x' }, state = result.requestState } = {},
    ) => {
      const more = { inputResponses: { name: { action: 'accept' } }, requestState: state as string };
      const answer = exchange(url, { token, ...modern('tools/call', { ...reading(tool, args), ...more }) });
      return json(await answer.ended);
    };
    const before = stage.executions();
    expect((await next(b.token)).error.code).toBe(-32602);
    expect((await next(stage.proxy.key)).error.code).toBe(-32602);
    expect((await next(a.token, { tool: 'other:asks' })).error.code).toBe(-32602);
    expect((await next(a.token, { args: { text: 'y' } })).error.code).toBe(-32602);
    expect((await next(a.token, { state: `${result.requestState}A` })).error.code).toBe(-32602);
    expect(stage.executions()).toBe(before);
    const refused = (await stage.records({ status: 'refused', tool: 'asks' })).filter(
      ({ error_code }) => error_code === 'INVALID_STATE',
    );
    expect(refused).toHaveLength(5);
    // The server gets its own words back.
    expect((await next(a.token)).result.content[0].text).toBe(
      '{"elicitation":{}} {"name":{"action":"accept"}}',
    );
  });
});

describe('a token is revoked', () => {
  const revoke = (token: MadeToken) => stage.proxy.rest.request('revokeToken', { id: token.name });

  test('its session, its stream, its subscription and its calls end; those of others go on', async () => {
    const [mine, theirs] = [await openSession(url, a.token), await openSession(url, b.token)];
    const streams = [a, b].map(({ token }, i) =>
      exchange(url, { token, method: 'GET', headers: i === 0 ? mine : theirs }),
    );
    const listen = modern('subscriptions/listen', { notifications: { toolsListChanged: true } });
    const subscriptions = [a, b].map(({ token }) => exchange(url, { token, ...listen }));
    for (const each of [...streams, ...subscriptions]) expect(await each.status).toBe(200);
    await until('the subscriptions', () =>
      subscriptions.every((each) => each.text().includes('acknowledged')) ? true : undefined,
    );
    const slow = [
      exchange(url, { token: a.token, headers: mine, body: call(1, 'up:slow_cancellable', { ms: 8000 }) }),
      exchange(url, {
        token: a.token,
        ...modern('tools/call', reading('up:slow_cancellable', { ms: 8000 })),
      }),
    ];
    const kept = exchange(url, { token: b.token, headers: theirs, body: call(1, 'up:slow', { ms: 700 }) });
    await until('the calls', async () =>
      (await stage.records({ tool: 'up:slow_cancellable' })).filter(({ status }) => status === 'pending')
        .length >= 2
        ? true
        : undefined,
    );
    await revoke(a);
    await Promise.all([streams[0]!.ended, subscriptions[0]!.ended]);
    for (const each of slow) {
      expect(await each.status).toBe(401);
      expect(json(await each.ended).error.message).toBe(`Token '${a.name}' was revoked`);
    }
    expect(json(await kept.ended).result.content[0].text).toBe('slow');
    // The others are still open: nothing of them has ended.
    for (const each of [streams[1]!, subscriptions[1]!]) {
      expect(await Promise.race([each.ended.then(() => 'ended'), Promise.resolve('open')])).toBe('open');
      each.close();
    }
    const after = exchange(url, { token: a.token, headers: mine, body: call(2, 'up:read_only') });
    expect(await after.status).toBe(401);
    expect(json(await after.ended).error.message).toMatch(
      /was revoked at .*; ask the operator for a new one/,
    );
    expect(await refusedOf(a)).toMatchObject([
      { error_code: 'UNAUTHORIZED', source: 'mcp', status: 'refused' },
    ]);
  });

  test.each(['2026-07-28', '2025 (legacy)', 'SDK 1.x', 'stdio bridge 2026', 'stdio bridge 2025'] as const)(
    'a client by %s gets the error at its next call',
    async (way) => {
      const client = await stage.client(way, a.token);
      const input = { name: 'up:read_only', args: {}, intent_operation_type: 'read' };
      expect((await client.call('call_tool_read', input)).isError).toBeFalsy();
      await revoke(a);
      await expect(client.call('call_tool_read', input)).rejects.toThrow(/401|revoked|Unauthorized/i);
    },
  );

  test('one that expires ends in the same way', async () => {
    const opened = async (expires: string) => {
      const short = await stage.token({ name: `short-${expires}-${count}`, expires });
      const session = await openSession(url, short.token);
      const stream = exchange(url, { token: short.token, method: 'GET', headers: session });
      return { short, session, stream, status: await stream.status };
    };
    // On a busy machine a second may be over before there is anything to end.
    let tried = await opened('1s');
    if (tried.status === 401) tried = await opened('10s');
    const { short, session, stream, status } = tried;
    expect(status).toBe(200);
    await stream.ended;
    const after = exchange(url, { token: short.token, headers: session, body: call(1, 'up:read_only') });
    expect(await after.status).toBe(401);
    expect(json(await after.ended).error.message).toMatch(/expired at/);
    expect((await stage.proxy.rest.request('status', {})).tokens.expired).toBeGreaterThan(0);
  });
});

test('many clients of two tokens at once, with the same ids: every answer belongs to its question', async () => {
  const sessions = await Promise.all(
    Array.from({ length: 20 }, async (_, i) => {
      const { token } = i % 2 === 0 ? a : b;
      return { token, headers: await openSession(url, token) };
    }),
  );
  const crossed: string[] = [];
  for (let round = 0; round < 25; round++) {
    await Promise.all(
      sessions.map(async ({ token, headers }, i) => {
        const nonce = `nonce-${round}-${i}`;
        const isModern = (round + i) % 3 === 0;
        const { ended } = isModern
          ? exchange(url, { token, ...modern('tools/call', reading('up:read_only', { text: nonce })) })
          : exchange(url, { token, headers, body: call(1, 'up:read_only', { text: nonce }) });
        const text = await ended;
        if (!text.includes(`${nonce}\\"`) || text.match(/nonce-/g)!.length !== 1) crossed.push(text);
      }),
    );
  }
  expect(crossed).toEqual([]);
});
