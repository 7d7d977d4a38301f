import { writeFileSync } from 'node:fs';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProxyError } from '../../src/contract/errors.ts';
import { newPostgres } from '../fixtures/engines.ts';
import { openExecutionLog } from '../fixtures/execution-log.ts';
import { newRowKeyText } from '../fixtures/row-seal.ts';
import { startHere } from './start-here.ts';
import { poll, type RunningProxy } from './start-proxy.ts';

const REFUSE = { require: [{ match: { server: 'up' }, action: 'refuse' }] };
const ALLOW = { require: [] };

let database: Awaited<ReturnType<typeof newPostgres>>;
let a: RunningProxy;
let b: RunningProxy;
let db: pg.Client;
const log = openExecutionLog();
const rowKey = newRowKeyText();

beforeAll(async () => {
  database = await newPostgres();
  db = new pg.Client(database.url);
  await db.connect();
  const servers = { up: { ...log.server(), env: { TOKEN: 'canary-secret' } } };
  // The servers are changed on the way; their tools stay callable.
  const config = { database_url: database.url, quarantine: 'warn', mcpServers: servers };
  a = await startHere({ config, rowKey });
  b = await startHere({
    config: {
      database_url: database.url,
      quarantine: 'new',
      mcpServers: { up: log.server(), other: { command: 'x' } },
    },
    rowKey,
  });
});
afterAll(async () => {
  await a?.dispose();
  await b?.dispose();
  await db?.end();
  await database?.remove();
  log.remove();
});

function call({ rest }: RunningProxy, operation: 'read' | 'write' = 'write', text = 'x'): Promise<string> {
  const body = {
    tool_variant: `call_tool_${operation}` as const,
    name: operation === 'read' ? 'up:read_only' : 'up:writer_not_destructive',
    args: { text },
    intent: { operation_type: operation },
  };
  return rest.request('callTool', { body }).then(
    () => 'ran',
    (error: unknown) => (error as ProxyError).code,
  );
}

const change = ({ rest }: RunningProxy, body: Record<string, unknown>) =>
  rest.request('updateConfig', { body });
const shared = async ({ rest }: RunningProxy) => (await rest.request('status', {})).shared_config!;
const settings = async ({ rest }: RunningProxy) => (await rest.request('getConfig', {})).settings;
const untilAt = (proxy: RunningProxy, revision: number) =>
  poll(`revision ${revision}`, proxy.stderr, async () =>
    (await shared(proxy)).revision === revision ? true : undefined,
  );

test('the file of the first proxy becomes revision 1; a second one uses it, and says which settings of its file have no effect', async () => {
  expect(await shared(a)).toMatchObject({ source: 'database', revision: 1, ineffective: [] });
  const { revision, ineffective, replicas } = await shared(b);
  expect([revision, ineffective]).toEqual([1, ['mcpServers.up', 'mcpServers.other', 'quarantine']]);
  expect(replicas).toMatchObject([{ revision: 1, differs: [] }]);
  expect((await settings(b)).quarantine).toBe('warn');
  expect(b.stderr()).toContain('settings of the file have no effect');
  const { rows } = await db.query('SELECT * FROM config_revisions');
  expect(JSON.stringify(rows)).not.toContain('canary');
  const { settings: shown } = await b.rest.request('getConfigRevision', { revision: 1 });
  expect(JSON.stringify(shown)).not.toContain('canary');
  expect(shown).toHaveProperty('mcpServers.up');
});

test('a policy that is tightened at one proxy holds for the next change at the other, without delay, and its record names the revision', async () => {
  for (let round = 0; round < 5; round++) {
    await change(a, { approvals: REFUSE });
    expect(await call(b)).toBe('POLICY_REFUSED');
    await change(b, { approvals: ALLOW });
    expect(await call(a)).toBe('ran');
  }
  const { revision } = await shared(a);
  const { records } = await a.rest.request('listActivity', { type: 'tool_call', limit: 2 });
  expect(records.map(({ status, metadata }) => [status, metadata.policy_version])).toEqual([
    ['success', String(revision)],
    ['refused', String(revision! - 1)],
  ]);
  const { records: recorded } = await a.rest.request('listActivity', { type: 'config', limit: 20 });
  expect(recorded.map(({ arguments: asked }) => asked)).toContainEqual(
    expect.objectContaining({ source: 'revision', revision, weakening: 1 }),
  );
});

test('a server that is added or removed at one proxy is started or stopped at the other', async () => {
  await a.rest.request('addServer', { body: { name: 'more', config: log.server() } });
  const serversOf = async () => (await b.rest.request('listServers', {})).servers;
  await poll('the server at the other proxy', b.stderr, async () =>
    (await serversOf()).find(({ name, state }) => name === 'more' && state === 'ready'),
  );
  await a.rest.request('removeServer', { name: 'more' });
  await poll('its end', b.stderr, async () =>
    (await serversOf()).every(({ name }) => name !== 'more') ? true : undefined,
  );
});

test('of two changes at the same time one wins, and the other gets CONFLICT with the newer revision', async () => {
  const { revision } = await shared(a);
  await db.query('BEGIN');
  await db.query('SELECT * FROM config_head FOR UPDATE');
  const changed = [change(a, { quarantine: 'changed' }), change(b, { quarantine: 'new' })].map((each) =>
    each.then(
      () => 'done',
      (error: unknown) => (error as ProxyError).details.revision,
    ),
  );
  await poll('both to wait', a.stderr, async () => {
    const waiting = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ILIKE 'update "config_head"%'`;
    // The snapshot of the statistics is that of the transaction.
    const other = new pg.Client(database.url);
    await other.connect();
    const { rows } = await other.query<{ n: number }>(waiting);
    await other.end();
    return rows[0]!.n === 2 ? true : undefined;
  });
  await db.query('COMMIT');
  expect(new Set(await Promise.all(changed))).toEqual(new Set(['done', revision! + 1]));
  await untilAt(a, revision! + 1);
  await untilAt(b, revision! + 1);
  expect((await settings(a)).quarantine).toBe((await settings(b)).quarantine);
});

test('an earlier revision is shown, compared and put into force again as a new one', async () => {
  const { revisions } = await b.rest.request('listConfigRevisions', { limit: 200 });
  expect(revisions.at(-1)).toMatchObject({
    revision: 1,
    by: 'config file',
    source: 'file',
    action: 'import',
  });
  expect(revisions[0]).toMatchObject({ by: 'operator', source: 'rest', action: 'edit' });
  const newest = revisions[0]!.revision;
  const dry = await b.rest.request('rollbackConfig', { revision: 1, body: { dry_run: true } });
  expect(dry).toMatchObject({
    applied: false,
    revision: newest,
    changes: [{ path: '/quarantine', after: 'warn', effect: 'weakening' }],
  });
  const stale = b.rest.request('rollbackConfig', { revision: 1, body: { expected: newest - 1 } });
  await expect(stale).rejects.toMatchObject({ code: 'CONFLICT', details: { revision: newest } });
  const done = await b.rest.request('rollbackConfig', { revision: 1, body: { expected: newest } });
  expect(done).toMatchObject({ applied: true, revision: newest + 1 });
  await untilAt(a, newest + 1);
  expect((await settings(a)).quarantine).toBe('warn');
  const missing = b.rest.request('rollbackConfig', { revision: 999, body: {} });
  await expect(missing).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('a file is applied as a whole, and its local settings have no effect', async () => {
  const { revision } = await shared(a);
  const text = `{ /* ours */ "listen": "0.0.0.0:1", "quarantine": "warn", "scanner": "quarantine", "mcpServers": { "up": ${JSON.stringify(log.server())} } }`;
  const applied = await a.rest.request('applyConfig', { body: { text } });
  expect(applied).toMatchObject({ applied: true, revision: revision! + 1, ignored: ['listen'] });
  expect(applied.changes.map(({ path }) => path)).toEqual(['/mcpServers/up/env/TOKEN', '/scanner']);
  expect((await a.rest.request('getConfig', {})).in_force?.listen).toBe(new URL(a.url).host);
  await untilAt(b, revision! + 1);
  const again = await b.rest.request('applyConfig', { body: { text } });
  expect(again).toMatchObject({ changes: [], revision: revision! + 1 });
  const bad = a.rest.request('applyConfig', { body: { text: '{"quarantine": "maybe"}' } });
  await expect(bad).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
});

test('a proxy whose listening connection is ended never judges a change by an older policy', async () => {
  for (let round = 0; round < 5; round++) {
    await db.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'mcpproxy listener'`,
    );
    await change(a, { approvals: REFUSE });
    expect(await call(b)).toBe('POLICY_REFUSED');
    await change(a, { approvals: ALLOW });
  }
  await untilAt(b, (await shared(a)).revision!);
});

describe('a configuration that was changed in the database', () => {
  const broken = (proxy: RunningProxy) =>
    poll('the problem', proxy.stderr, async () => (await shared(proxy)).problem);
  const sound = (proxy: RunningProxy) =>
    poll('the end of the problem', proxy.stderr, async () =>
      (await shared(proxy)).problem === undefined ? true : undefined,
    );

  test('does not count: reads go on with the newest known one, changes are refused, until the operator puts one into force', async () => {
    await db.query('UPDATE config_head SET revision = 1');
    expect([await call(a), await call(b)]).toEqual(['POLICY_BEHIND', 'POLICY_BEHIND']);
    expect([await call(a, 'read'), await call(b, 'read')]).toEqual(['ran', 'ran']);
    expect(await broken(b)).toContain('changed outside of mcpproxy');
    const { changed_rows: rows } = await b.rest.request('status', {});
    expect(rows).toBeGreaterThan(0);
    await expect(change(a, { quarantine: 'new' })).rejects.toMatchObject({ code: 'ROW_CHANGED' });
    await a.rest.request('rollbackConfig', { revision: 1, body: {} });
    await sound(b);
    expect([await call(a), await call(b)]).toEqual(['ran', 'ran']);
  });

  test('nor does an older one that was put back, or a revision with another text', async () => {
    const { rows } = await db.query<{ revision: string; seal: string }>('SELECT * FROM config_head');
    await change(a, { approvals: REFUSE });
    await untilAt(b, Number(rows[0]!.revision) + 1);
    await db.query('UPDATE config_head SET revision = $1, seal = $2', [rows[0]!.revision, rows[0]!.seal]);
    expect(await call(b)).toBe('POLICY_BEHIND');
    expect((await settings(b)).approvals).toMatchObject(REFUSE);
    await a.rest.request('rollbackConfig', { revision: 1, body: {} });
    await sound(b);
    await db.query('UPDATE config_revisions SET created_by = $1 WHERE revision = 1', ['somebody']);
    const other = b.rest.request('getConfigRevision', { revision: 1 });
    await expect(other).rejects.toMatchObject({ code: 'ROW_CHANGED' });
    const { revisions } = await b.rest.request('listConfigRevisions', { limit: 200 });
    expect(revisions.at(-1)).toMatchObject({ revision: 1, changed_outside: true });
    expect(await call(b)).toBe('ran');
  });
});

test('with config_source "file" each has its own settings, and each shows where they differ', async () => {
  const config = { database_url: database.url, config_source: 'file', mcpServers: {} };
  const one = await startHere({ config, rowKey });
  const two = await startHere({ config: { ...config, quarantine: 'new' }, rowKey });
  try {
    const differs = async (proxy: RunningProxy, other: RunningProxy) =>
      (await shared(proxy)).replicas.find(({ listen }) => listen === other.url)?.differs;
    await poll(
      'the drift',
      one.stderr,
      async () => (await differs(one, two))?.includes('quarantine') || undefined,
    );
    expect(await differs(two, one)).toEqual(['quarantine']);
    writeFileSync(two.configFile, JSON.stringify(config));
    await poll('its end', two.stderr, async () =>
      (await differs(two, one))?.length === 0 ? true : undefined,
    );
  } finally {
    await one.dispose();
    await two.dispose();
  }
});
