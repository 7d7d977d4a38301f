import { afterAll, beforeAll, expect, test } from 'vitest';
import { CLIENTS, type AnyClient } from '../fixtures/mcp-clients.ts';
import { exchange, modern, openSession } from './raw-token.ts';
import { startProxy, type RunningProxy } from './start-proxy.ts';

/** Clients that keep their 2025 session, and one of each SDK line that does. */
const SDK = CLIENTS.filter(({ revision }) => revision === '2025-11-25');
const ADD = {
  name: 'tasks:add_task',
  args: { description: 'survive' },
  intent_operation_type: 'write',
};

let proxy: RunningProxy;
let clients: Array<[string, AnyClient]>;
const token: Record<'kept' | 'revoked' | 'other', string> = { kept: '', revoked: '', other: '' };
let sessions: Record<'kept' | 'ended' | 'revoked', Record<string, string>>;

/** The answers to `tools/list`, as text, of both modes. */
const menus = () => Promise.all(['', '/direct'].map((path) => menuAt(`${proxy.url}/mcp${path}`)));
let menusBefore: string[];

async function menuAt(url: string): Promise<string> {
  const { headers, body } = modern('tools/list');
  const accept = 'application/json, text/event-stream';
  const all = { ...headers, 'x-api-key': proxy.key, accept, 'content-type': 'application/json' };
  return (await fetch(url, { method: 'POST', headers: all, body: JSON.stringify(body) })).text();
}

/** Everything that lives is opened before the one restart; the tests look at what became of it. */
beforeAll(async () => {
  proxy = await startProxy();
  for (const name of ['kept', 'revoked', 'other'] as const)
    token[name] = (await proxy.rest.request('createToken', { body: { name } })).token;
  const where = { url: `${proxy.url}/mcp`, headers: { 'x-api-key': proxy.key } };
  clients = await Promise.all(
    SDK.map(async ({ title, connect }) => [title, await connect(where)] as [string, AnyClient]),
  );
  for (const [, client] of clients) await client.call('call_tool_write', ADD);
  sessions = {
    kept: await openSession(proxy.url, token.kept),
    ended: await openSession(proxy.url, token.kept),
    revoked: await openSession(proxy.url, token.revoked),
  };
  expect(
    await exchange(proxy.url, { token: token.kept, method: 'DELETE', headers: sessions.ended }).status,
  ).toBe(200);
  await proxy.rest.request('revokeToken', { id: 'revoked' });
  menusBefore = await menus();
  const { host } = new URL(proxy.url);
  await proxy.stop();
  proxy = await startProxy({ home: proxy.home, args: ['--listen', host] });
});
afterAll(async () => {
  for (const [, client] of clients) await client.close();
  await proxy.dispose();
});

const call = (id: number) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'call_tool_read', arguments: { name: 'tasks:list_tasks', intent_operation_type: 'read' } },
});

test.each(SDK.map(({ title }) => title))('%s goes on as if nothing had happened', async (title) => {
  const [, client] = clients.find(([name]) => name === title)!;
  const answer = await client.call('call_tool_write', ADD);
  expect(answer).toMatchObject({ structuredContent: { task: { description: 'survive' } } });
  expect(await client.list()).toHaveLength(5);
});

test('a client that posts with its old id and reopens its stream, as Gemini CLI does, is served', async () => {
  const { kept: headers } = sessions;
  const posted = exchange(proxy.url, { token: token.kept, headers, body: call(7) });
  expect(await posted.status).toBe(200);
  expect(JSON.parse(await posted.ended)).toMatchObject({ id: 7, result: { structuredContent: {} } });
  const stream = exchange(proxy.url, { token: token.kept, method: 'GET', headers });
  expect(await stream.status).toBe(200);
  stream.close();
});

test('calls before and after the restart have the same session in the log', async () => {
  const { records } = await proxy.rest.request('listActivity', { tool: 'add_task', limit: 10 });
  expect(records).toHaveLength(2 * SDK.length);
  expect(new Set(records.map(({ session_id: id }) => id)).size).toBe(SDK.length);
});

test.each([
  ['that was ended', () => ({ token: token.kept, headers: sessions.ended }), 404],
  ['of another token', () => ({ token: token.other, headers: sessions.kept }), 404],
  ['of a token that was revoked', () => ({ token: token.revoked, headers: sessions.revoked }), 401],
])('a session %s is not restored', async (_, request, status) => {
  expect(await exchange(proxy.url, { ...request(), body: call(1) }).status).toBe(status);
});

test('the lists of tools are the same to the byte: Copilot CLI drops tools that differ', async () => {
  expect(menusBefore.map((menu) => menu.includes('call_tool_read'))).toEqual([true, false]);
  expect(menusBefore[1]).toContain('tasks__add_task');
  expect(await menus()).toEqual(menusBefore);
});
