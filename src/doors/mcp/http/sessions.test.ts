import { afterEach, describe, expect, test } from 'vitest';
import { literalActivity, raw, startHarness, type Harness } from '../../../../test/fixtures/mcp-harness.ts';
import { openSession, rpc } from '../../../../test/fixtures/mcp-messages.ts';
import { literalTools } from '../../../../test/fixtures/mcp-tools.ts';
import { createLog } from '../../../lib/log.ts';
import { createCore } from '../core.ts';
import type { EventWriter } from './event-writer.ts';
import { LegacyPeer } from '../legacy-peer.ts';
import { MCP_LIMITS } from '../limits.ts';
import { createSessions } from './sessions.ts';

const HOUR = 3_600_000;

interface CallOptions {
  id?: unknown;
  args?: object;
}

let harness: Harness;
afterEach(() => harness.stop());

const call = (headers: Record<string, string>, name: string, { id = 1, args = {} }: CallOptions = {}) =>
  raw(harness.port, { headers, body: rpc('tools/call', { name, arguments: args }, id) });
const ping = async (headers: Record<string, string>) =>
  (await raw(harness.port, { headers, body: rpc('ping') })).status;
const started = (count: number) => expect.poll(() => harness.calls.length).toBe(count);

/** Opens the session's stream, as soon as an earlier one is gone; `seen` is what came so far. */
async function listen(headers: Record<string, string>) {
  const stop = new AbortController();
  const stream = { seen: '', stop: () => stop.abort(), ended: Promise.resolve() };
  const open = () =>
    new Promise<number>((onHeaders) => {
      const onData = (text: string) => void (stream.seen = text);
      const answer = raw(harness.port, { method: 'GET', headers, signal: stop.signal, onHeaders, onData });
      stream.ended = answer.then(
        () => undefined,
        () => undefined,
      );
    });
  await expect.poll(open).toBe(200);
  return stream;
}

describe('2025 sessions', () => {
  test('belong to who opened them', async () => {
    harness = await startHarness();
    const mine = await openSession(harness, '2025-11-25', { 'x-user': 'alice' });
    expect(await ping(mine)).toBe(200);
    expect(await ping({ ...mine, 'x-user': 'bob' })).toBe(404);
    const steal = { method: 'DELETE', headers: { ...mine, 'x-user': 'bob' } };
    expect((await raw(harness.port, steal)).status).toBe(404);
    expect(await ping(mine)).toBe(200);
    await call(mine, 'echo');
    expect(harness.calls[0]!.caller).toMatchObject({ principal: 'alice', userId: 'user of alice' });
  });

  test('end by DELETE, which cancels what runs', async () => {
    harness = await startHarness();
    const session = await openSession(harness);
    const hung = call(session, 'hang');
    await started(1);
    const stream = await listen(session);
    expect((await raw(harness.port, { method: 'DELETE', headers: session })).status).toBe(200);
    expect((await hung).text).toBe('');
    await stream.ended;
    expect(harness.aborted).toEqual(['the client ended the session']);
    expect(await ping(session)).toBe(404);
    expect((await raw(harness.port, { method: 'DELETE', headers: session })).status).toBe(404);
    expect(harness.endpoint.sessions()).toBe(0);
  });

  test('a cancel notification ends the call without an answer', async () => {
    harness = await startHarness();
    const session = await openSession(harness);
    const hung = call(session, 'hang', { id: 'x' });
    await started(1);
    const params = { requestId: 'x', reason: 'changed my mind' };
    await raw(harness.port, {
      headers: session,
      body: { jsonrpc: '2.0', method: 'notifications/cancelled', params },
    });
    const { status, text } = await hung;
    expect([status, text]).toEqual([200, '']);
    expect(harness.aborted).toEqual(['changed my mind']);
  });

  test('a lost connection is no cancel: the call runs on', async () => {
    harness = await startHarness();
    const session = await openSession(harness);
    const stop = new AbortController();
    const body = rpc('tools/call', { name: 'hang' }, 7);
    const lost = raw(harness.port, { headers: session, body, signal: stop.signal }).catch(() => 'lost');
    await started(1);
    stop.abort();
    expect(await lost).toBe('lost');
    // The call still holds its id, and only a cancel notification ends it.
    expect((await call(session, 'echo', { id: 7 })).status).toBe(400);
    expect(harness.aborted).toEqual([]);
    const params = { requestId: 7 };
    await raw(harness.port, {
      headers: session,
      body: { jsonrpc: '2.0', method: 'notifications/cancelled', params },
    });
    await expect.poll(() => harness.aborted).toEqual(['cancelled by the client']);
  });

  test('have one stream, which tells of changed tools', async () => {
    harness = await startHarness();
    const session = await openSession(harness);
    const stream = await listen(session);
    harness.endpoint.listChanged('tools');
    await expect
      .poll(() => stream.seen)
      .toContain('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');
    stream.stop();
    await stream.ended;
    const again = await listen(session);
    again.stop();
  });

  test('refuse a second stream', async () => {
    harness = await startHarness();
    const session = await openSession(harness);
    await listen(session);
    const second = await raw(harness.port, { method: 'GET', headers: session });
    expect([second.status, second.json.error.code]).toEqual([409, -32000]);
  });

  test('expire an hour after their last use, unless they listen or work', async () => {
    harness = await startHarness();
    let now = 0;
    const sessions = createSessions(MCP_LIMITS, { now: () => now });
    const core = createCore({
      ...literalTools(),
      ...literalActivity(),
      instructions: '',
      version: '1',
      log: createLog('silent'),
    });
    const open = () => sessions.open((id) => new LegacyPeer(core, { principal: 'p', userId: 'u' }, id));
    const [unused, used, listening] = [open(), open(), open()];
    listening.stream = { end: () => undefined } as EventWriter;
    now += HOUR;
    expect(sessions.find(used.peer.sessionId, { principal: 'p', userId: 'u' })).toBe(used);
    now += 1;
    sessions.sweep();
    expect([...sessions.all()]).toEqual([used, listening]);
    expect(sessions.find(unused.peer.sessionId, { principal: 'p', userId: 'u' })).toBeUndefined();
    listening.stream = undefined;
    now += HOUR + 1;
    sessions.sweep();
    expect(sessions.size).toBe(0);
  });

  test('at the limit an idle one goes first, then one that only listens, never one that works', async () => {
    let now = 0;
    harness = await startHarness({ clock: { now: () => now++ }, limits: { sessions: 3, drainMs: 50 } });
    const working = await openSession(harness);
    const listening = await openSession(harness);
    const idle = await openSession(harness);
    const hung = call(working, 'hang');
    await started(1);
    const stream = await listen(listening);
    await ping(idle);
    const second = await openSession(harness);
    expect([await ping(idle), await ping(listening), await ping(working)]).toEqual([404, 200, 200]);
    const secondHung = call(second, 'hang');
    await started(2);
    const third = await openSession(harness);
    await stream.ended;
    expect([await ping(listening), await ping(working)]).toEqual([404, 200]);
    const thirdHung = call(third, 'hang');
    await started(3);
    const refused = await raw(harness.port, {
      headers: { 'content-type': 'application/json', accept: '*/*' },
      body: rpc('initialize', { protocolVersion: '2025-11-25' }),
    });
    expect([refused.status, refused.json.error.code]).toEqual([503, -32000]);
    await harness.endpoint.close();
    for (const answer of await Promise.all([hung, secondHung, thirdHung])) {
      expect(answer.json.error.message).toBe('The proxy is stopping');
    }
    expect(harness.aborted).toHaveLength(3);
  });

  test('of one client push none of another out', async () => {
    let now = 0;
    harness = await startHarness({ clock: { now: () => now++ }, limits: { sessions: 3 } });
    const mine = await openSession(harness, '2025-11-25', { 'x-user': 'alice' });
    for (let i = 0; i < 5; i++) await openSession(harness, '2025-11-25', { 'x-user': 'bob' });
    expect([await ping(mine), harness.endpoint.sessions()]).toEqual([200, 3]);
  });

  test('take a limited number of calls at once', async () => {
    harness = await startHarness({ limits: { inFlight: 2 } });
    const session = await openSession(harness);
    const waiting = [1, 2].map((id) => call(session, 'steps', { id }));
    await started(2);
    const refused = await call(session, 'echo', { id: 3 });
    expect(refused.json).toMatchObject({ id: 3, error: { code: -32000, data: { code: 'OVERLOADED' } } });
    expect(harness.records).toMatchObject([
      { type: 'bad_request', error_code: 'OVERLOADED', status: 'refused' },
    ]);
    await call(await openSession(harness), 'go');
    for (const answer of await Promise.all(waiting)) expect(answer.json.result.content[0].text).toBe('done');
    expect((await call(session, 'echo', { id: 4 })).json.result).toBeDefined();
  });

  test('when the proxy stops, calls may finish, and new ones are refused', async () => {
    harness = await startHarness();
    const session = await openSession(harness);
    const waiting = call(session, 'wait', { args: { ms: 150 } });
    await started(1);
    const closed = harness.endpoint.close();
    expect((await call(session, 'echo', { id: 2 })).status).toBe(503);
    expect((await waiting).json.result.content[0].text).toBe('waited');
    await closed;
    expect(harness.endpoint.sessions()).toBe(0);
  });
});
