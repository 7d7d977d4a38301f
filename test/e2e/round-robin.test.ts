import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeFileSync } from 'node:fs';
import { sql } from 'kysely';
import pg from 'pg';
import { openDatabase } from '../../src/db/database.ts';
import { createLog } from '../../src/lib/log.ts';
import { startBalancer, type Balancer } from '../fixtures/balancer.ts';
import { newPostgres } from '../fixtures/engines.ts';
import { openExecutionLog } from '../fixtures/execution-log.ts';
import { newRowKeyText } from '../fixtures/row-seal.ts';
import type { Json } from '../fixtures/mcp-harness.ts';
import { fixture } from '../fixtures/start.ts';
import { ASKED_CLIENTS, connectAsked, textOf } from './asked-clients.ts';
import { exchange, modern, openSession, reading, type Raw } from './raw-token.ts';
import { startHere } from './start-here.ts';
import { poll, type RunningProxy } from './start-proxy.ts';

// Three proxies with data directories of their own, of which only `row-key` is the same, behind a balancer without stickiness.

let proxies: RunningProxy[];
let balancer: Balancer;
let token: string;
let database: Awaited<ReturnType<typeof newPostgres>>;
const log = openExecutionLog();

beforeAll(async () => {
  database = await newPostgres();
  const rowKey = newRowKeyText();
  const offered = `${log.dir}/offered.json`;
  writeFileSync(offered, JSON.stringify({ resources: [{ uri: 'demo:one', name: 'one' }] }));
  const config = {
    database_url: database.url,
    mcpServers: {
      up: log.server(),
      asking: fixture('asking-sdk.mjs'),
      older: fixture('asking.mjs', 'legacy'),
      offers: fixture('offering.mjs', offered),
    },
    approvals: { require: ['destructive'], wait: '1s' },
  };
  proxies = await Promise.all([1, 2, 3].map(() => startHere({ config, rowKey })));
  balancer = await startBalancer(() => proxies.map(({ url }) => url));
  ({ token } = await proxies[0]!.rest.request('createToken', { body: { name: 'roaming' } }));
  for (const { url, stderr } of proxies)
    await poll('the token at every proxy', stderr, async () =>
      (await exchange(url, { token, body: {} }).status) === 401 ? undefined : true,
    );
});
afterAll(async () => {
  await balancer?.close();
  for (const proxy of proxies ?? []) await proxy.dispose();
  await database?.remove();
  log.remove();
});

describe.each(ASKED_CLIENTS)('client %s', (kind) => {
  test('connects, calls and answers servers through round robin', async () => {
    const client = await connectAsked(kind, { url: balancer.url, key: token });
    for (let i = 0; i < 6; i++)
      expect(textOf(await client.call('up:read_only', { text: `${kind} ${i}` }))).toContain(`${kind} ${i}`);
    for (let i = 0; i < 3; i++) {
      const twice = await client.call('asking:twice');
      expect(JSON.parse(textOf(twice))).toMatchObject({ second: { action: 'accept' } });
      const params = { message: 'Name?', requestedSchema: { type: 'object', properties: {} } };
      const asked = await client.call('older:ask', { params });
      expect(JSON.parse(textOf(asked))).toMatchObject({ result: { action: 'accept' } });
    }
    await client.close();
  });
});

const LEVEL = { jsonrpc: '2.0', id: 5, method: 'logging/setLevel', params: { level: 'warning' } };
const read = (text: string, id = 7) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { ...reading('up:read_only', { text }) },
});
const slow = (id: number, args: object) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: {
    ...reading('up:slow_cancellable', { ...args }),
  },
});

describe('a 2025 session', () => {
  const at = (index: number, rest: Omit<Raw, 'token'>) => exchange(proxies[index]!.url, { token, ...rest });

  test('that is ended at one proxy ends at those that have it in memory', async () => {
    const headers = await openSession(proxies[0]!.url, token);
    for (const index of [0, 1, 2]) expect(await at(index, { headers, body: read('x') }).status).toBe(200);
    const stream = at(2, { method: 'GET', headers });
    expect(await stream.status).toBe(200);
    expect(await at(1, { method: 'DELETE', headers }).status).toBe(200);
    await stream.ended;
    for (const index of [0, 2])
      await poll('the end at every proxy', proxies[index]!.stderr, async () =>
        (await at(index, { headers, body: read('x') }).status) === 404 ? true : undefined,
      );
  });

  test('cannot fill the database with answers that nobody asked for', async () => {
    const { url } = proxies[0]!;
    const { token: own } = await proxies[0]!.rest.request('createToken', { body: { name: 'flooding' } });
    const headers = await openSession(url, own);
    const body = { jsonrpc: '2.0', id: 'unknown', result: { text: 'x'.repeat(3_000_000) } };
    const statuses: number[] = [];
    for (let i = 0; i < 4; i++) statuses.push(await exchange(url, { token: own, headers, body }).status);
    expect(statuses).toEqual([202, 202, 429, 429]);
  });

  test('a call that runs at one proxy is cancelled at another', async () => {
    const headers = await openSession(proxies[0]!.url, token);
    const called = at(0, { headers, body: slow(31, { ms: 60_000, text: 'cancel me' }) });
    await poll('the call', proxies[0]!.stderr, () => (log.runsOf('cancel me') === 1 ? true : undefined));
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 31 } };
    expect(await at(1, { headers, body: cancel }).status).toBe(202);
    expect(await called.ended).not.toContain('"result"');
    await poll('the server to hear of it', proxies[0]!.stderr, () =>
      log.executions().some((each) => 'cancelled' in each) ? true : undefined,
    );
  });

  test('what it settles at one proxy counts at the others', async () => {
    const headers = await openSession(proxies[0]!.url, token);
    expect(await at(1, { headers, body: read('in memory') }).status).toBe(200);
    expect(await at(0, { headers, body: LEVEL }).status).toBe(200);
    const db = await openDatabase({ url: database.url, log: createLog('silent') });
    const id = headers['mcp-session-id']!.split('.')[0]!;
    const { rows } = await sql<{
      value: string;
    }>`SELECT value FROM session_settings WHERE session_id = ${id}`.execute(db.kysely);
    await db.close();
    expect(rows).toEqual([{ value: 'warning' }]);
  });

  test('watches resources at one proxy, and hears of them on its stream at another, also on a new one', async () => {
    const headers = await openSession(proxies[0]!.url, token);
    const uri = 'demo:one';
    const first = at(2, { method: 'GET', headers });
    await first.status;
    const rpc = (method: string) => ({ jsonrpc: '2.0', id: 41, method, params: { uri } });
    const subscribed = at(0, { headers, body: rpc('resources/subscribe') });
    expect(await subscribed.ended).toContain('"result"');
    // Each proxy has its own server: the one whose stream it is must watch too.
    const update = {
      jsonrpc: '2.0',
      id: 42,
      method: 'tools/call',
      params: reading('offers:update', { uri, times: 1 }),
    };
    await poll('an update', proxies[2]!.stderr, async () => {
      await at(2, { headers, body: update }).ended;
      return first.text().includes('notifications/resources/updated') ? true : undefined;
    });
    const id = /^id: (.*)$/m.exec(first.text())![1]!;
    first.close();
    const again = at(1, { method: 'GET', headers: { ...headers, 'last-event-id': id } });
    await poll('what was missed', proxies[1]!.stderr, () =>
      again.text().includes('notifications/resources/updated') ? true : undefined,
    );
    expect(await at(1, { headers, body: rpc('resources/unsubscribe') }).status).toBe(200);
    again.close();
  });

  test('gets the rest of an answer whose connection broke, question included, at another proxy', async () => {
    const headers = await openSession(proxies[0]!.url, token, { elicitation: {} });
    const body = {
      jsonrpc: '2.0',
      id: 51,
      method: 'tools/call',
      params: reading('older:ask', { params: FORM }),
    };
    const broken = at(0, { headers, body });
    await poll('the question', proxies[0]!.stderr, () =>
      broken.text().includes('elicitation/create') ? true : undefined,
    );
    const [first] = eventIds(broken.text());
    broken.close();
    const resumed = at(1, { method: 'GET', headers: { ...headers, 'last-event-id': first! } });
    const asked = await poll('the question again', proxies[1]!.stderr, () =>
      messagesOf(resumed.text()).find(({ method }) => method === 'elicitation/create'),
    );
    const answer = { jsonrpc: '2.0', id: asked.id, result: { action: 'accept', content: {} } };
    expect(await at(2, { headers, body: answer }).status).toBe(202);
    const messages = messagesOf(await resumed.ended);
    expect(messages.map(({ method }) => method)).toEqual(['elicitation/create', undefined]);
    expect(messages.at(-1)).toMatchObject({
      id: 51,
      result: { content: [{ text: expect.stringContaining('accept') }] },
    });
    // The end of the stream is kept too.
    const ids = eventIds(resumed.text());
    const rest = at(2, { method: 'GET', headers: { ...headers, 'last-event-id': ids[0]! } });
    expect(messagesOf(await rest.ended)).toEqual([messages.at(-1)]);
    expect(await at(0, { method: 'DELETE', headers }).status).toBe(200);
  });
});

test('all connections to the database are ended under load: no call is refused, none runs twice', async () => {
  const admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
  const write = (text: string, i: number) =>
    proxies[i % 3]!.rest.request('callTool', {
      body: {
        tool_variant: 'call_tool_write',
        name: 'up:writer_not_destructive',
        args: { text },
        intent: { operation_type: 'write' },
      },
    });
  const waves = Array.from({ length: 6 }, (_, wave) =>
    Array.from({ length: 10 }, (_, i) => `blip ${wave}.${i}`),
  );
  const texts = waves.flat();
  let ended = 0;
  try {
    // Each wave is answered before the next one begins: what one call waits for does not grow with the load of the machine.
    for (const wave of waves) {
      const called = wave.map(async (text, i) => {
        await new Promise((resolve) => setTimeout(resolve, i * 20));
        if (i === 5) {
          const { rowCount } = await admin.query(
            'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
          );
          ended += rowCount!;
        }
        return write(text, i);
      });
      await Promise.all(called);
    }
  } finally {
    await admin.end();
  }
  expect(ended).toBeGreaterThan(20);
  expect(texts.map((text) => log.runsOf(text))).toEqual(texts.map(() => 1));
  expect(await proxies[1]!.rest.request('verifyActivity', {})).toMatchObject({ verdict: 'intact' });
});

test('a held call of a 2026 client is approved at a second proxy, its own is stopped, and a third goes on with it', async () => {
  const params = (more: object) => ({
    name: 'call_tool_destructive',
    arguments: { name: 'up:destructive', args: { text: 'held' }, intent_operation_type: 'destructive' },
    ...more,
  });
  const round = async (index: number, more: object = {}): Promise<Json> => {
    const { headers, body } = modern('tools/call', params(more));
    return JSON.parse(await exchange(proxies[index]!.url, { token, headers, body }).ended);
  };
  const first = await round(0);
  expect(first.result).toMatchObject({ resultType: 'input_required' });
  const { requestState } = first.result;
  const { approvals } = await proxies[1]!.rest.request('listApprovals', { limit: 1 });
  await proxies[1]!.rest.request('decideApproval', { id: approvals[0]!.id, body: { decision: 'approve' } });
  await proxies[0]!.stop();
  expect((await round(2, { requestState })).result).toMatchObject({ content: [{ text: '{"text":"held"}' }] });
  expect(log.runsOf('held')).toBe(1);
  // The state is used up everywhere: the approval was for one call.
  expect(JSON.stringify(await round(1, { requestState }))).toMatch(/APPROVAL_USED|input_required/);
  expect(log.runsOf('held')).toBe(1);
});

const FORM = { message: 'Name?', requestedSchema: { type: 'object', properties: {} } };

const eventIds = (text: string) => [...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id!);
const messagesOf = (text: string): Json[] =>
  [...text.matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data!));
