import { randomBytes } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { JSON_HEADERS, raw, startHarness, type Harness } from '../../../../test/fixtures/mcp-harness.ts';
import { openSession, rpc } from '../../../../test/fixtures/mcp-messages.ts';
import type { EndedMcpSessions } from '../../../db/index.ts';
import { createStateSeal, SEAL_KEY_BYTES } from '../../../lib/state-seal.ts';
import type { McpParts } from '../core.ts';
import { recordedSession, SESSION_LIFE_MS } from './session-ids.ts';

let now = Date.now();
const clock = { now: () => now };
const running: Harness[] = [];
afterEach(() => Promise.all(running.splice(0).map((harness) => harness.stop())));

/** Proxies that share a key and a list of ended sessions, as on one database; each start is a restart, or another proxy. */
function installation() {
  const seal = createStateSeal(randomBytes(SEAL_KEY_BYTES), clock, SESSION_LIFE_MS);
  const list = new Set<string>();
  const state = { fails: false };
  const works = async () => {
    if (state.fails) throw new Error('the database is gone');
  };
  const ended: EndedMcpSessions = {
    has: async ({ owner, id }) => works().then(() => list.has(owner + id)),
    add: async ({ owner, id }) => works().then(() => void list.add(owner + id)),
  };
  return {
    state,
    start: (parts: Partial<McpParts> = {}) => start({ sessionKeeping: { seal, ended, clock }, ...parts }),
  };
}

async function start(parts: Partial<McpParts>): Promise<Harness> {
  const harness = await startHarness(parts);
  running.push(harness);
  return harness;
}

type Headers = Record<string, string>;
const ping = async ({ port }: Harness, headers: Headers) =>
  (await raw(port, { headers, body: rpc('ping') })).status;
const idOf = (headers: Headers) => headers['mcp-session-id']!;

async function listen({ port }: Harness, headers: Headers) {
  const stop = new AbortController();
  const stream = { seen: '', stop: () => stop.abort() };
  const status = await new Promise<number>((onHeaders) => {
    const onData = (text: string) => void (stream.seen = text);
    raw(port, { method: 'GET', headers, signal: stop.signal, onHeaders, onData }).catch(() => undefined);
  });
  expect(status).toBe(200);
  return stream;
}

test('a session lives on after a restart, with its client, its revision and its id in the log', async () => {
  const place = installation();
  const before = await place.start();
  const session = await openSession(before, '2025-06-18');
  const call = (harness: Harness) =>
    raw(harness.port, { headers: session, body: rpc('tools/call', { name: 'echo', arguments: {} }) });
  await call(before);
  await before.stop();
  const after = await place.start();
  expect((await call(after)).status).toBe(200);
  const [first, second] = [before.calls[0]!.caller, after.calls[0]!.caller];
  expect(second).toMatchObject({ sessionId: first.sessionId, client: first.client });
  expect(idOf(session).startsWith(`${first.sessionId}.`)).toBe(true);
  expect(after.endpoint.sessions()).toBe(1);
});

test('requests that come together after a restart share one session', async () => {
  const place = installation();
  const session = await openSession(await place.start());
  const after = await place.start();
  expect(await Promise.all([1, 2, 3].map(() => ping(after, session)))).toEqual([200, 200, 200]);
  expect(after.endpoint.sessions()).toBe(1);
});

test('a stream opens with the old id, and tells of changed tools without another handshake', async () => {
  const place = installation();
  const session = await openSession(await place.start());
  const after = await place.start();
  const stream = await listen(after, session);
  after.endpoint.toolsChanged();
  await expect.poll(() => stream.seen).toContain('notifications/tools/list_changed');
  expect(await ping(after, session)).toBe(200);
  stream.stop();
});

test('batches are restored too, and only for the revision that has them', async () => {
  const place = installation();
  const first = await place.start();
  const [old, newer] = [await openSession(first, '2025-03-26'), await openSession(first, '2025-06-18')];
  const after = await place.start();
  const batch = (headers: Headers) => raw(after.port, { headers, body: [rpc('ping', {}, 1)] });
  expect((await batch(old)).json).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
  expect((await batch(newer)).status).toBe(400);
});

test('an ended session does not come back, here, after a restart or at another proxy', async () => {
  const place = installation();
  const [here, there] = [await place.start(), await place.start()];
  const session = await openSession(here);
  const remove = (harness: Harness) => raw(harness.port, { method: 'DELETE', headers: session });
  expect((await remove(here)).status).toBe(200);
  for (const harness of [here, there, await place.start()]) {
    expect(await ping(harness, session)).toBe(404);
    expect((await remove(harness)).status).toBe(404);
  }
});

test('a session can be ended after a restart, before it was used', async () => {
  const place = installation();
  const session = await openSession(await place.start());
  const after = await place.start();
  expect((await raw(after.port, { method: 'DELETE', headers: session })).status).toBe(200);
  expect(await ping(await place.start(), session)).toBe(404);
});

test('an end that cannot be stored is an error, and can be repeated', async () => {
  const place = installation();
  place.state.fails = true;
  const harness = await place.start();
  const session = await openSession(harness);
  const remove = () => raw(harness.port, { method: 'DELETE', headers: session });
  const refused = await remove();
  expect([refused.status, refused.json.error.message]).toEqual([
    503,
    expect.stringContaining('Send DELETE again'),
  ]);
  place.state.fails = false;
  expect((await remove()).status).toBe(200);
  expect(await ping(harness, session)).toBe(404);
});

test('an idle session that was dropped is restored as well', async () => {
  let ticks = 0;
  const harness = await installation().start({ clock: { now: () => ticks++ }, limits: { sessions: 1 } });
  const first = await openSession(harness);
  await openSession(harness);
  expect([await ping(harness, first), harness.endpoint.sessions()]).toEqual([200, 1]);
});

test.each<[string, (session: Headers) => Headers]>([
  ['of another credential', (session) => ({ ...session, 'x-user': 'bob' })],
  ['with another id in front', (session) => withId(session, `${'0'.repeat(32)}.${idOf(session).slice(33)}`)],
  ['that was cut', (session) => withId(session, idOf(session).slice(0, -1))],
  ['without its content', (session) => withId(session, recordedSession(idOf(session)))],
  ['that is far too long', (session) => withId(session, `${idOf(session)}${'A'.repeat(6_000)}`)],
])('an id %s restores nothing: 404, and the client initializes again', async (_, change) => {
  const place = installation();
  const session = await openSession(await place.start(), '2025-11-25', { 'x-user': 'alice' });
  const after = await place.start();
  expect(await ping(after, change(session))).toBe(404);
  expect(after.endpoint.sessions()).toBe(0);
  expect(await ping(after, session)).toBe(200);
});

const withId = (session: Headers, id: string) => ({ ...session, 'mcp-session-id': id });

test('an id of another installation restores nothing', async () => {
  const session = await openSession(await installation().start());
  expect(await ping(await installation().start(), session)).toBe(404);
});

test('after thirty days an id restores nothing', async () => {
  const place = installation();
  const session = await openSession(await place.start());
  now += SESSION_LIFE_MS;
  expect(await ping(await place.start(), session)).toBe(200);
  now += 1;
  expect(await ping(await place.start(), session)).toBe(404);
});

test('a failing database is an error of the proxy, and the next request is restored', async () => {
  const place = installation();
  const session = await openSession(await place.start());
  const after = await place.start();
  place.state.fails = true;
  expect(await ping(after, session)).toBe(500);
  place.state.fails = false;
  expect(await ping(after, session)).toBe(200);
});

test('an error after a restart carries the id of its request, and its record the session', async () => {
  const place = installation();
  const session = await openSession(await place.start());
  const after = await place.start();
  await raw(after.port, { method: 'DELETE', headers: session });
  const answer = await raw(after.port, { headers: session, body: rpc('ping', {}, 'mine') });
  expect(answer.json).toMatchObject({ id: 'mine', error: { code: -32001 } });
  expect(after.records.at(-1)).toMatchObject({ session_id: recordedSession(idOf(session)) });
});

test('the id is short enough for every header, with the longest name of a client', async () => {
  const { port } = await installation().start();
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: '漢'.repeat(300), version: '1' },
  };
  const answer = await raw(port, { headers: JSON_HEADERS, body: rpc('initialize', params) });
  const id = String(answer.headers['mcp-session-id']);
  expect(id).toMatch(/^[\x21-\x7e]+$/);
  expect(id.length).toBeLessThan(1_500);
});
