import { copyFileSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MigrationReport } from '../../src/doors/cli/runtime.ts';
import { draft, openTestLog } from '../fixtures/activity-log.ts';
import { newPostgres } from '../fixtures/engines.ts';
import { runHere } from './cli-here.ts';
import { finished, spawnCli } from './run-cli.ts';
import { poll, startProxy, type RunningProxy } from './start-proxy.ts';

let target: Awaited<ReturnType<typeof newPostgres>>;
let proxy: RunningProxy;

beforeAll(async () => {
  target = await newPostgres();
  proxy = await startProxy();
});
afterAll(async () => {
  await proxy?.dispose();
  await target?.remove();
});

const addTask = (description: string) =>
  proxy.rest.request('callTool', {
    body: {
      tool_variant: 'call_tool_write',
      name: 'tasks:add_task',
      args: { description },
      intent: { operation_type: 'write' },
    },
  });
const ids = async () => (await proxy.rest.request('listActivity', { limit: 50 })).records.map(({ id }) => id);
/** Each start of the daemon is a record, which is written beside its first calls. */
const starts = (count: number) =>
  poll('the record of the start', proxy.stderr, async () => {
    const { total } = await proxy.rest.request('listActivity', { type: 'config', limit: 1 });
    return total === count || undefined;
  });

test('an installation is moved to PostgreSQL with its log, and goes on there', async () => {
  for (const description of ['one', 'two', 'three']) await addTask(description);
  const { place } = proxy;
  const url = join(proxy.home, 'database-url');
  writeFileSync(url, target.url, { mode: 0o600 });
  const migrate = (...more: string[]) => runHere(['db', 'migrate', ...place, '--to-file', url, ...more]);

  const refused = await migrate();
  expect([refused.code, refused.stderr.includes(`process ${proxy.pid} at ${proxy.url}`)]).toEqual([6, true]);

  await starts(1);
  const before = await ids();
  await proxy.stop();
  const moved = await migrate('-o', 'json');
  expect(moved.code).toBe(0);
  const report = JSON.parse(moved.stdout) as MigrationReport;
  expect(report).toMatchObject({ verdict: 'intact', warnings: [], logs: [{ records: before.length }] });
  expect(report.tables).toContainEqual({ table: 'tasks', rows: 3, moved: 3, conflicts: 0 });
  const { password } = new URL(target.url);
  expect(moved.stdout + moved.stderr + refused.stderr).not.toContain(password);

  proxy = await startProxy({ home: proxy.home, env: { MCPPROXY_DATABASE_URL: target.url } });
  await starts(2);
  expect((await ids()).slice(1)).toEqual(before);
  await addTask('four');
  const verified = await proxy.rest.request('verifyActivity', {});
  expect(verified).toMatchObject({ verdict: 'intact', records: before.length + 2 });
  expect(verified.logs.map(({ log }) => log)).toEqual(report.logs.map(({ log }) => log));
  await proxy.stop();

  const again = await migrate();
  expect(again.code).toBe(0);
  expect(again.stdout).toContain('(0 moved by this run)');
});

test('SIGTERM and Ctrl-C while a long log is moved end it cleanly, and the next run continues', async () => {
  const log = await openTestLog();
  const home = mkdtempSync(join(tmpdir(), 'mcpproxy-migrate-'));
  const there = await newPostgres();
  const client = new pg.Client({ connectionString: there.url });
  try {
    for (let i = 0; i < 10; i++)
      await Promise.all(
        Array.from({ length: 1000 }, (_, k) =>
          log.activity.open(draft({ request_id: `r${i}-${k}` })).close({ status: 'success' }),
        ),
      );
    await log.activity.checkpoint();
    log.db.sqlite.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    cpSync(log.dir, home, { recursive: true, filter: (file) => !file.includes('activity.db') });
    copyFileSync(log.db.file, join(home, 'mcpproxy.db'));
    await client.connect();
    const moved = async () => {
      const found = await client
        .query<{ n: string }>('SELECT count(*) AS n FROM activity_journal')
        .catch(() => null);
      return Number(found?.rows[0]?.n ?? 0);
    };
    const options = { home, env: { MCPPROXY_DATABASE_URL: there.url } };
    const args = ['db', 'migrate', '--data-dir', home, '-o', 'json'];
    for (const [signal, code] of [
      ['SIGTERM', 143],
      ['SIGINT', 130],
    ] as const) {
      const before = await moved();
      const child = spawnCli(args, options);
      child.stdin.end();
      const result = finished(child);
      const over = { yes: false };
      void result.then(() => (over.yes = true));
      while (!over.yes && (await moved()) <= before) await new Promise((resolve) => setTimeout(resolve, 5));
      child.kill(signal);
      const { code: ended, stderr } = await result;
      // On a machine that is busy enough it may be done before the signal arrives.
      expect([code, 0]).toContain(ended);
      expect(stderr).not.toMatch(/terminate|at file:|Error:/);
    }
    const url = join(home, 'database-url');
    writeFileSync(url, there.url, { mode: 0o600 });
    const { code, stdout } = await runHere([...args, '--to-file', url]);
    expect(code).toBe(0);
    const { verdict, entries } = JSON.parse(stdout) as MigrationReport;
    expect([verdict, entries]).toEqual(['intact', await moved()]);
  } finally {
    await client.end();
    await there.remove();
    await log.remove();
    rmSync(home, { recursive: true, force: true });
  }
});
