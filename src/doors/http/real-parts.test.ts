import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { KEY, silent, startHttp, type Running } from '../../../test/fixtures/http-server.ts';
import { fixture } from '../../../test/fixtures/start.ts';
import { createActivity } from '../../log/log.ts';
import type { Activity } from '../../log/activity.ts';
import { createRoad } from '../../road/road.ts';
import { createCatalog } from '../../catalog/catalog.ts';
import { createKnownTools } from '../../catalog/known/known-tools.ts';
import type { ConfigStore } from '../../config/config-store.ts';
import { createConfigStore } from '../../config/store.ts';
import { fakeParts } from '../../../test/fixtures/rest-parts.ts';
import { createClient, type Client } from '../../contract/routes/client.ts';
import { openDatabase } from '../../db/database.ts';
import type { SqliteDatabase } from '../../db/sqlite/database.ts';
import { systemClock } from '../../lib/clock.ts';
import { createEventBus } from '../../lib/event-bus.ts';
import { createTokens, type Tokens } from '../../token/tokens.ts';
import { createDispatch } from '../../upstream/dispatch/dispatch.ts';
import { createUpstreams, type Upstreams } from '../../upstream/upstreams.ts';
import { createRest } from './rest.ts';
import { testSeal } from '../../../test/fixtures/row-seal.ts';

// The whole REST door over HTTP, on a real database, a real configuration file and a real upstream process.
const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-http-'));
const file = join(dir, 'mcp_config.json');
const executions = join(dir, 'executions.jsonl');
let http: Running;
let client: Client;
let db: SqliteDatabase;
let activity: Activity;
let config: ConfigStore;
let upstreams: Upstreams;
let tokens: Tokens;

beforeAll(async () => {
  writeFileSync(file, '{\n  // kept\n  "mcpServers": {}\n}\n', { mode: 0o600 });
  writeFileSync(executions, '');
  const log = silent;
  const events = createEventBus();
  config = createConfigStore({
    settings: { configFile: file, defaultDataDir: dir, overrides: {} },
    watch: false,
    log,
  });
  db = await openDatabase({ file: join(dir, 'test.db'), log });
  activity = await createActivity({
    dataDir: dir,
    db,
    settings: () => config.current().activity,
    clock: systemClock,
    log,
  });
  const catalog = createCatalog({
    store: await createKnownTools(db, { seal: testSeal(), log }),
    config: () => config.current(),
    events,
    record: () => undefined,
    log,
  });
  upstreams = createUpstreams({
    builtin: {},
    callTimeoutMs: () => 10_000,
    clock: systemClock,
    events,
    log,
    resolve: (text) => text,
  });
  upstreams.onTools((server, tools) => (tools ? catalog.replace(server, tools) : catalog.remove(server)));
  config.subscribe((next) => upstreams.apply(next.mcpServers));
  const callTool = createRoad({
    config: () => config.current(),
    catalog,
    activity,
    dispatch: createDispatch(upstreams),
    log,
  });
  const info = {
    version: '1.0.0',
    startedAt: performance.now(),
    dataDir: dir,
    database: db.place,
    protocolRevisions: ['2026-07-28'],
    listen: () => http.url,
  };
  tokens = await createTokens({ db, seal: testSeal(), log });
  http = await startHttp({
    rest: createRest({
      ...fakeParts().parts,
      activity,
      catalog,
      upstreams,
      tokens,
      config,
      callTool,
      events,
      info,
      log,
    }),
  });
  client = createClient({ url: http.url, apiKey: KEY, client: 'cli/1.0' });
});

afterAll(async () => {
  await http?.close();
  await upstreams?.close();
  await config?.close();
  await tokens?.close();
  await activity?.close();
  await db?.close();
  rmSync(dir, { recursive: true, force: true });
});

const executed = () => readFileSync(executions, 'utf8').split('\n').filter(Boolean).length;

test('a server is added, searched, called, refused, recorded, exported, switched off and removed', async () => {
  const added = await client.request('addServer', {
    body: {
      name: 'fix',
      config: { ...fixture('annotated.mjs', '--log', executions), env: { SECRET: 'sekrit-value' } },
    },
  });
  expect(added).toMatchObject({ name: 'fix', state: 'ready', transport: 'stdio' });
  expect(readFileSync(file, 'utf8')).toContain('// kept');

  const { tools } = await client.request('searchTools', { q: 'destructive', limit: 50 });
  expect(tools.map(({ name }) => name)).toContain('fix:destructive');
  const call = (tool_variant: 'call_tool_read' | 'call_tool_destructive', operation_type: string) =>
    client.request('callTool', {
      body: { tool_variant, name: 'fix:destructive', args: { text: 'hi' }, intent: { operation_type } },
    });
  await expect(call('call_tool_read', 'read')).rejects.toMatchObject({ code: 'SERVER_MISMATCH' });
  expect(executed()).toBe(0);
  expect(await call('call_tool_destructive', 'destructive')).toMatchObject({ content: [{ type: 'text' }] });
  expect(executed()).toBe(1);

  const refused = await client.request('listActivity', { status: 'refused', tool: 'fix:destructive' });
  expect(refused.records).toMatchObject([
    { source: 'cli', error_code: 'SERVER_MISMATCH', metadata: { tool_variant: 'call_tool_read' } },
  ]);
  const changes = await client.request('listActivity', { type: 'config_change' });
  expect(changes.records).toMatchObject([
    { server_name: 'fix', status: 'success', metadata: { action: 'add_server' } },
  ]);
  expect(JSON.stringify(changes)).not.toContain('sekrit-value');

  const lines = (await (await client.open('exportActivity', {})).text()).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).type)).toEqual(['config_change', 'tool_call', 'tool_call']);
  const csv = (await (await client.open('exportActivity', { format: 'csv', status: 'refused' })).text())
    .trim()
    .split(/\r?\n/);
  expect([csv.length, csv[1]]).toEqual([2, expect.stringContaining('SERVER_MISMATCH')]);

  expect(await client.request('status', {})).toMatchObject({
    servers: { total: 1, ready: 1 },
    activity: { refused_24h: 1 },
    config_error: null,
  });
  expect(await client.request('disableServer', { name: 'fix' })).toMatchObject({
    state: 'disabled',
    enabled: false,
  });
  expect((await client.request('listTools', {})).total).toBe(0);
  expect(await client.request('enableServer', { name: 'fix' })).toMatchObject({
    state: 'ready',
    enabled: true,
  });
  await client.request('removeServer', { name: 'fix' });
  await expect(client.request('getServer', { name: 'fix' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(readFileSync(file, 'utf8')).not.toContain('annotated');
});

test('a cursor that no listing gave is an error of the caller', async () => {
  await expect(client.request('listActivity', { cursor: 'nonsense' })).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
  });
  await expect(client.request('listTools', { cursor: 'nonsense' })).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
  });
});

test('the record of a change of a token names the token: made, replaced, revoked by name or id', async () => {
  const make = (replace: boolean) => client.request('createToken', { body: { name: 'ro2', replace } });
  const first = await make(false);
  const second = await make(true);
  await client.request('revokeToken', { id: 'ro2' });
  await client.request('revokeToken', { id: second.id });
  await expect(client.request('revokeToken', { id: 'nobody' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  const { records } = await client.request('listActivity', { type: 'config_change', limit: 5 });
  const of = ({ id }: { id: string }) => ({ token_name: 'ro2', token_id: id });
  expect(records.toReversed()).toMatchObject([
    { arguments: { name: 'ro2' }, response: of(first), metadata: { action: 'create_token' } },
    { arguments: { name: 'ro2' }, response: { ...of(second), replaced: first.id } },
    { arguments: { token_name: 'ro2' }, response: of(second), metadata: { action: 'revoke_token' } },
    { arguments: { token_id: second.id }, response: of(second) },
    { arguments: { token_name: 'nobody' }, status: 'refused' },
  ]);
  for (const { token } of [first, second]) expect(JSON.stringify(records)).not.toContain(token.slice(5));
});
