import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ProxyError } from '../../src/contract/errors.ts';
import { newPostgres } from '../fixtures/engines.ts';
import { openExecutionLog } from '../fixtures/execution-log.ts';
import { newRowKeyText } from '../fixtures/row-seal.ts';
import { startHere } from './start-here.ts';
import type { RunningProxy } from './start-proxy.ts';

/** Somebody who can write the database, but not read the row key, before two proxies that run. */
let database: Awaited<ReturnType<typeof newPostgres>>;
let a: RunningProxy;
let b: RunningProxy;
let db: pg.Client;
const log = openExecutionLog();
const rowKey = newRowKeyText();
const settings = {
  mcpServers: { up: log.server() },
  approvals: { require: ['destructive'], wait: '1ms' },
};

beforeAll(async () => {
  database = await newPostgres();
  db = new pg.Client(database.url);
  await db.connect();
  a = await startHere({ config: { database_url: database.url, ...settings }, rowKey });
  b = await startHere({ config: { database_url: database.url, ...settings }, rowKey });
});
afterAll(async () => {
  await a?.dispose();
  await b?.dispose();
  await db?.end();
  await database?.remove();
  log.remove();
});

function call({ rest }: RunningProxy, operation: 'write' | 'destructive', text: string): Promise<string> {
  const body = {
    tool_variant: `call_tool_${operation}` as const,
    name: operation === 'write' ? 'up:writer_not_destructive' : 'up:writer_destructive',
    args: { text },
    intent: { operation_type: operation },
  };
  return rest.request('callTool', { body }).then(
    () => 'ran',
    (error: unknown) => (error as ProxyError).code,
  );
}

/** After each change of a row the trigger puts it back as it was, as long as it exists. */
async function putBack(table: string, key: string, columns: string): Promise<void> {
  const set = columns
    .split(' ')
    .map((column) => `${column} = OLD.${column}`)
    .join(', ');
  await db.query(`CREATE FUNCTION put_back() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF pg_trigger_depth() = 1 THEN UPDATE ${table} SET ${set} WHERE ${key} = OLD.${key}; END IF; RETURN NULL; END $$`);
  await db.query(`CREATE TRIGGER put_back AFTER UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION put_back()`);
}
afterEach(() => db.query('DROP FUNCTION IF EXISTS put_back, keep CASCADE'));

const LONG = { timeout: 60_000, interval: 50 };
const APPROVAL = 'status decided_ms decided_by settled_ms runner lease_ms record_id seal';

async function approved(text: string): Promise<string> {
  expect(await call(a, 'destructive', text)).toBe('APPROVAL_PENDING');
  const { approvals } = await a.rest.request('listApprovals', { status: 'pending' });
  const { id } = approvals[0]!;
  await a.rest.request('decideApproval', { id, body: { decision: 'approve' } });
  return id;
}

test('an approval whose row is put back after its use runs one call, at whichever proxy', async () => {
  await approved('once');
  await putBack('approvals', 'id', APPROVAL);
  expect(await call(a, 'destructive', 'once')).toBe('ran');
  expect(await call(b, 'destructive', 'once')).not.toBe('ran');
  expect(await call(a, 'destructive', 'once')).not.toBe('ran');
  expect(log.runsOf('once')).toBe(1);
});

test('nor does one whose row cannot be changed run any', async () => {
  await approved('kept');
  await db.query(
    'CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN OLD; END $$; CREATE TRIGGER keep BEFORE UPDATE ON approvals FOR EACH ROW EXECUTE FUNCTION keep()',
  );
  expect(await call(a, 'destructive', 'kept')).toBe('ROW_CHANGED');
  expect(await call(b, 'destructive', 'kept')).toBe('ROW_CHANGED');
  expect(log.runsOf('kept')).toBe(0);
});

describe('the configuration', () => {
  const restored = (proxy: RunningProxy) =>
    expect.poll(() => call(proxy, 'write', 'again'), LONG).toBe('ran');
  const behind = (proxy: RunningProxy) =>
    expect.poll(() => call(proxy, 'write', 'x'), LONG).toBe('POLICY_BEHIND');
  async function roll(): Promise<void> {
    await a.rest.request('rollbackConfig', { revision: 1, body: {} });
    for (const proxy of [a, b]) await restored(proxy);
  }

  test('a forged seal locks nobody out: the operator puts a revision into force again', async () => {
    await db.query(`UPDATE config_head SET seal = '1.999999999999999.' || repeat('A', 43)`);
    const { revision } = (await a.rest.request('status', {})).shared_config!;
    await roll();
    await roll();
    expect((await a.rest.request('status', {})).shared_config).toMatchObject({ revision: revision! + 1 });
  });

  test('a policy that is hidden from the other proxies: they refuse changes, also a new one', async () => {
    await putBack('config_head', 'id', 'revision seal');
    await a.rest.request('updateConfig', { body: { quarantine: 'new' } });
    await behind(b);
    const c = await startHere({ config: { database_url: database.url, ...settings }, rowKey });
    try {
      // It takes no settings from the older revision, so it has no servers at all.
      expect(await call(c, 'write', 'x')).not.toBe('ran');
      const problem = async () => (await c.rest.request('status', {})).shared_config?.problem;
      await expect.poll(problem, LONG).toContain('changed outside');
    } finally {
      await c.dispose();
    }
    await db.query('DROP FUNCTION put_back CASCADE');
    await roll();
  });

  test('its history is shown with a row that cannot be read', async () => {
    await db.query(`UPDATE config_revisions SET changes = 'nonsense' WHERE revision = 1`);
    const { revisions } = await a.rest.request('listConfigRevisions', { limit: 200 });
    expect(revisions.at(-1)).toMatchObject({ revision: 1, changes: [], changed_outside: true });
  });
});

/** The processes of the server that tell the proxies of changes are stopped: nothing is heard. */
async function deaf(work: () => Promise<void>): Promise<void> {
  const { rows } = await db.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'mcpproxy listener'`,
  );
  expect(rows.length).toBeGreaterThan(0);
  for (const { pid } of rows) process.kill(pid, 'SIGSTOP');
  try {
    await work();
  } finally {
    for (const { pid } of rows) process.kill(pid, 'SIGCONT');
  }
}

test('a verdict of one proxy holds for the next change at another that is not told of it', async () => {
  const name = 'up:writer_not_destructive';
  await deaf(async () => {
    await a.rest.request('setOperation', { name, body: { operation: 'destructive' } });
    expect(await call(b, 'write', 'forbidden')).not.toBe('ran');
  });
  expect(log.runsOf('forbidden')).toBe(0);
  await a.rest.request('clearOperation', { name });
});
