import { execFile } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { BackupReport, RestoreReport } from '../../src/doors/cli/runtime.ts';
import { databaseWriter } from '../attacks/database-writer.ts';
import { eachEngine } from '../fixtures/engines.ts';
import { installedPostgres } from '../fixtures/postgres-binaries.ts';
import { startPostgres } from '../fixtures/postgres-server.ts';
import { runHere } from './cli-here.ts';
import { spawnCli, finished } from './run-cli.ts';
import { startHere } from './start-here.ts';
import { startProxy, type RunningProxy } from './start-proxy.ts';

const SERVER = new URL('../fixtures/annotated.mjs', import.meta.url).pathname;
let dir: string;
const started: RunningProxy[] = [];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'mcpproxy-backup-test-'));
});
afterEach(async () => {
  for (const proxy of started.splice(0)) await proxy.dispose();
  rmSync(dir, { recursive: true, force: true });
});

/** The database is in the configuration file, so that commands can run in this process. */
type Database = { database_url?: string };

async function start(config: Database, home?: string, waitReady = true): Promise<RunningProxy> {
  const proxy = await startHere({ config: { ...config }, waitReady, ...(home && { home }) });
  started.push(proxy);
  return proxy;
}

/** A home with a configuration and without data. */
function newHome(config: Database): { home: string; place: string[] } {
  const home = mkdtempSync(join(tmpdir(), 'mcpproxy-e2e-'));
  const file = join(home, 'mcp_config.json');
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  return { home, place: ['--config', file, '--data-dir', join(home, '.mcpproxy')] };
}

const addTask = (proxy: RunningProxy, description: string) =>
  proxy.rest.request('callTool', {
    body: {
      tool_variant: 'call_tool_write',
      name: 'tasks:add_task',
      args: { description },
      intent: { operation_type: 'write' },
    },
  });
const records = async (proxy: RunningProxy) =>
  (await proxy.rest.request('listActivity', { type: 'tool_call', limit: 100 })).records.map(({ id }) => id);

/** Calls one after the other until stopped. */
function load(proxy: RunningProxy) {
  const acknowledged: string[] = [];
  const ended = new AbortController();
  const running = (async () => {
    for (let n = 1; !ended.signal.aborted; n++) {
      await addTask(proxy, `task ${n}`);
      acknowledged.push(`task ${n}`);
    }
  })();
  return {
    acknowledged,
    stop: async () => {
      ended.abort();
      await running;
    },
  };
}

const tasksOf = async (proxy: RunningProxy) =>
  JSON.stringify(
    await proxy.rest.request('callTool', {
      body: {
        tool_variant: 'call_tool_read',
        name: 'tasks:list_tasks',
        args: {},
        intent: { operation_type: 'read' },
      },
    }),
  );

eachEngine('back-up and restore', ({ engine, place }) => {
  const newDatabase = async (): Promise<Database> => {
    if (engine === 'sqlite') return {};
    const where = await place();
    return 'url' in where ? { database_url: where.url } : {};
  };
  const db = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await runHere(['db', ...args, '-o', 'json']);
    return {
      code,
      stderr,
      report: (code === 0 ? JSON.parse(stdout) : {}) as Omit<BackupReport, 'keys'> & RestoreReport,
    };
  };

  test('back-up under load, restore elsewhere, verify, go on', async () => {
    const source = await start(await newDatabase());
    const calls = load(source);
    await expect.poll(() => calls.acknowledged.length).toBeGreaterThan(10);
    const before = calls.acknowledged.length;
    const file = join(dir, 'one.backup');
    const made = await db('backup', file, ...source.place);
    await calls.stop();
    expect([made.code, made.stderr]).toEqual([0, expect.stringContaining('Verifying the back-up')]);
    expect(made.report).toMatchObject({ verdict: 'intact', engine, with_keys: false, warnings: [] });
    expect(made.report.records).toBeGreaterThanOrEqual(before);
    expect(calls.acknowledged.length).toBeGreaterThan(before);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(dir)).toEqual(['one.backup']);
    expect(readFileSync(file).includes(readFileSync(join(source.dataDir, 'activity-key.pem')))).toBe(false);
    expect(readFileSync(file).includes(source.key)).toBe(false);

    const elsewhere = await newDatabase();
    const { home, place: there } = newHome(elsewhere);
    const restored = await db('restore', file, ...there);
    expect(restored.code).toBe(0);
    expect(restored.report).toMatchObject({
      verdict: 'intact',
      replaced: null,
      behind: [],
      records: made.report.records,
      entries: made.report.entries,
      keys: made.report.keys.map((key) => ({ ...key, known: false })),
    });

    const other = await start(elsewhere, home);
    const verified = await other.rest.request('verifyActivity', {});
    expect(verified).toMatchObject({ verdict: 'intact' });
    expect(verified.logs.map(({ log }) => log)).toEqual(
      expect.arrayContaining(made.report.logs.map(({ log }) => log)),
    );
    const tasks = await tasksOf(other);
    for (const task of calls.acknowledged.slice(0, before)) expect(tasks).toContain(`"${task}"`);
    await addTask(other, 'after the restore');
    const again = await other.rest.request('verifyActivity', {});
    expect(again).toMatchObject({ verdict: 'intact' });
    expect(again.records).toBeGreaterThan(verified.records);
  });

  test('restore refuses while a proxy uses the data, keeps what it replaces, and does not hide what is missing', async () => {
    const database = await newDatabase();
    const proxy = await start(database);
    await addTask(proxy, 'one');
    const file = join(dir, 'two.backup');
    const made = await db('backup', file, ...proxy.place, '--with-keys');
    expect([made.code, made.report.files]).toEqual([
      0,
      expect.arrayContaining(['activity-key.pem', 'activity-key.pub', 'api_key']),
    ]);
    const again = await db('backup', file, ...proxy.place);
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('--force')]);
    await addTask(proxy, 'two');
    const busy = await db('restore', file, ...proxy.place);
    expect([busy.code, busy.stderr]).toEqual([6, expect.stringContaining(`process ${proxy.pid}`)]);

    if (engine === 'postgres') {
      const other = ['--config', proxy.configFile, '--data-dir', join(dir, 'other')];
      const shared = await db('restore', file, ...other, '--replace');
      expect([shared.code, shared.stderr]).toEqual([
        6,
        expect.stringContaining('uses the database postgres://'),
      ]);
    }
    const all = await records(proxy);
    await proxy.stop();
    const asked = await db('restore', file, ...proxy.place);
    expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('add --replace')]);
    const { report, code } = await db('restore', file, ...proxy.place, '--replace');
    expect(code).toBe(0);
    expect(report.replaced).toMatch(/replaced[-_]\d{8}t\d{6}z$/i);
    expect(report.behind).toEqual([
      { log: made.report.logs[0]!.log, entries: expect.any(Number), checkpoint: expect.any(Number) },
    ]);
    const verified = await runHere(['activity', 'verify', ...proxy.place, '-o', 'json']);
    expect(JSON.parse(verified.stdout)).not.toMatchObject({ verdict: 'intact' });

    const next = await start(database, proxy.home, false);
    expect((await fetch(`${next.url}/readyz`)).status).toBe(503);
    const accepted = await runHere(['activity', 'accept-restore', ...proxy.place]);
    expect(accepted.code).toBe(0);
    expect(await next.rest.request('verifyActivity', {})).toMatchObject({ verdict: 'intact' });
    const left = await records(next);
    expect(all).toEqual(expect.arrayContaining(left));
    expect(left).toHaveLength(all.length - 1);
    // The restore itself is on record: who, which file, its digest, and how much was in it.
    const noted = await next.rest.request('listActivity', { type: 'config_change', limit: 10 });
    expect(noted.records.find(({ metadata }) => metadata.action === 'restore_backup')).toMatchObject({
      status: 'success',
      arguments: {
        file,
        sha256: made.report.sha256,
        user: userInfo().username,
        records: made.report.records,
        entries: made.report.entries,
      },
    });
  });

  test('after an accepted restore doctor blames nobody and names no edit; tools of the newer time wait, and their server is approved at once', async () => {
    const database = await newDatabase();
    const proxy = await start(database);
    const file = join(dir, 'five.backup');
    expect((await db('backup', file, ...proxy.place)).code).toBe(0);
    const added = await runHere(['upstream', 'add', 'echo', ...proxy.place, '--', process.execPath, SERVER]);
    expect([added.code, added.stderr]).toEqual([0, expect.any(String)]);
    await proxy.stop();
    expect((await db('restore', file, ...proxy.place, '--replace')).code).toBe(0);

    const next = await start(database, proxy.home, false);
    const tools = async () => (await next.rest.request('listTools', { server: 'echo' })).tools;
    await expect.poll(async () => (await tools()).length).toBeGreaterThan(0);
    for (const { withheld, rejected, distrusted } of await tools())
      expect([withheld, rejected, distrusted?.why]).toEqual([
        true,
        undefined,
        expect.stringContaining('a restore of the database'),
      ]);
    expect((await runHere(['activity', 'accept-restore', ...proxy.place])).code).toBe(0);
    const doctor = await runHere(['doctor', ...proxy.place, '-o', 'json']);
    const checks = (JSON.parse(doctor.stdout) as { checks: Array<{ check: string }> }).checks;
    expect(checks.map(({ check }) => check)).not.toContain('rows');
    expect(checks.map(({ check }) => check)).not.toContain('config review');
    const approved = await runHere(['upstream', 'approve', 'echo', '--yes', ...proxy.place]);
    expect([approved.code, approved.stderr]).toEqual([0, expect.not.stringContaining('Not accepted')]);
    for (const { withheld } of await tools()) expect(withheld).toBe(false);
  });

  test('two restores within one second keep both databases that they replaced', async () => {
    const proxy = await start(await newDatabase());
    const file = join(dir, 'six.backup');
    expect((await db('backup', file, ...proxy.place)).code).toBe(0);
    await proxy.stop();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    try {
      const first = await db('restore', file, ...proxy.place, '--replace');
      const second = await db('restore', file, ...proxy.place, '--replace');
      expect([first.code, second.code, second.stderr]).toEqual([0, 0, expect.any(String)]);
      expect(second.report.replaced).not.toBe(first.report.replaced);
    } finally {
      vi.useRealTimers();
    }
  });

  test('a back-up that brings other keys is refused where there are keys or a database, and says which it brings; one that was changed or cut is not restored', async () => {
    const database = await newDatabase();
    const proxy = await start(database);
    await addTask(proxy, 'one');
    const file = join(dir, 'three.backup');
    const made = await db('backup', file, ...proxy.place);
    expect(made.report.keys.map(({ kind }) => kind).sort()).toEqual(['row', 'signing']);
    await proxy.stop();
    const content = readFileSync(file);
    const planted = randomBytes(32).toString('hex');
    const backup = new DatabaseSync(file);
    const own = readFileSync(join(proxy.dataDir, 'row-key'), 'utf8');
    backup
      .prepare(`UPDATE backup_file SET content = ? WHERE name = 'row-key'`)
      .run(Buffer.from(`${own}${planted}\n`));
    const pair = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' });
    backup.prepare('INSERT INTO backup_file VALUES (?, ?)').run('activity-key-evil.pub', Buffer.from(pair));
    backup.close();
    const restore = (place: readonly string[], ...more: string[]) =>
      db('restore', file, ...place, '--replace', ...more);
    const known = made.report.keys.map(({ fingerprint }) => fingerprint);
    const filesBefore = readdirSync(proxy.dataDir);
    const there = ['--config', proxy.configFile, '--data-dir', join(dir, 'new')];
    // A new data directory on the PostgreSQL database in use is no new installation.
    for (const place of engine === 'postgres' ? [proxy.place, there] : [proxy.place]) {
      const { code, stderr } = await restore(place);
      expect([code, stderr]).toEqual([2, expect.stringMatching(/row key [0-9a-f]{32}.*add --trust-keys/)]);
      expect(stderr).toMatch(/signing key [0-9a-f]{32}/);
      if (place === proxy.place) for (const each of known) expect(stderr).not.toContain(each);
    }
    expect(readdirSync(proxy.dataDir)).toEqual(filesBefore);
    expect(readFileSync(join(proxy.dataDir, 'row-key'), 'utf8')).toBe(own);
    const trusted = await restore(proxy.place, '--trust-keys');
    const unknown = trusted.report.keys.filter((key) => !key.known);
    expect([trusted.code, unknown.map(({ kind }) => kind).sort()]).toEqual([0, ['row', 'signing']]);
    expect(readFileSync(join(proxy.dataDir, 'row-key'), 'utf8')).toContain(planted);

    writeFileSync(file, content.subarray(0, content.length / 2));
    expect(await restore(proxy.place)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('BACKUP_UNUSABLE'),
    });
    const changed = Buffer.from(content.toString('latin1').replaceAll('"one"', '"two"'), 'latin1');
    expect(changed.equals(content)).toBe(false);
    writeFileSync(file, changed);
    expect(await restore(proxy.place)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('LOG_BROKEN'),
    });
    writeFileSync(file, content);
    expect((await restore(proxy.place)).code).toBe(0);

    // Nor is one made that a restore would refuse.
    const writer = databaseWriter(database.database_url ?? join(proxy.dataDir, 'mcpproxy.db'));
    await writer.run(
      engine === 'sqlite'
        ? 'CREATE TRIGGER other AFTER INSERT ON activity BEGIN SELECT 1; END'
        : 'CREATE TRIGGER other BEFORE UPDATE ON activity FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()',
    );
    expect(await db('backup', join(dir, 'four.backup'), ...proxy.place)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /schema differs: the database contains the trigger \W+other\W+ on \W+activity/,
      ),
    });
    expect(readdirSync(dir).filter((name) => name !== 'new')).toEqual(['three.backup']);
  });
});

/** The commands of a section of the guide, with its directory of back-ups. */
function commandsOf(guide: string, heading: string): string[] {
  const text = readFileSync(new URL(`../../docs/guides/${guide}`, import.meta.url), 'utf8');
  const section = text.slice(text.indexOf(`\n${heading}\n`)).split(/\n## /)[1]!;
  return [...section.matchAll(/```sh\n([^`]+)```/g)].map(([, lines]) => lines!.replaceAll('/backups', dir));
}

// Where the programs of PostgreSQL are installed; the npm packages do not have them.
const bin = installedPostgres();
if (bin !== undefined)
  test('the steps of the guide with pg_dump: back-up under load, restore, verify, go on', async () => {
    const server = await startPostgres({ bin });
    try {
      const url = await server.createDatabase();
      const { username, password, port } = new URL(url);
      // A process of its own: its lock is copied too, and has no owner once it has ended.
      const source = await startProxy({ config: { database_url: url } });
      started.push(source);
      const sh = (lines: string) =>
        promisify(execFile)('/bin/sh', ['-euc', lines], {
          env: {
            PATH: `${bin}:${process.env.PATH}`,
            HOME: source.home,
            MCPPROXY_DATABASE_URL: url,
            PGHOST: '127.0.0.1',
            PGPORT: port,
            PGUSER: username,
            PGPASSWORD: password,
          },
        });
      const [dump, restore, ...others] = commandsOf('backup.md', '## PostgreSQL');
      expect([dump, restore, others]).toEqual([
        expect.stringContaining('pg_dump'),
        expect.stringContaining('pg_restore'),
        [],
      ]);
      const calls = load(source);
      await expect.poll(() => calls.acknowledged.length).toBeGreaterThan(10);
      const before = calls.acknowledged.length;
      await sh(dump!);
      await calls.stop();
      expect(calls.acknowledged.length).toBeGreaterThan(before);
      await source.stop();
      await sh(restore!);

      const config = { database_url: server.url('mcpproxy_restored') };
      const { home } = newHome(config);
      renameSync(join(dir, 'data-dir'), join(home, '.mcpproxy'));
      const other = await start(config, home);
      expect(await other.rest.request('verifyActivity', {})).toMatchObject({ verdict: 'intact' });
      const tasks = await tasksOf(other);
      for (const task of calls.acknowledged.slice(0, before)) expect(tasks).toContain(`"${task}"`);
      await addTask(other, 'after the restore');
      expect(await other.rest.request('verifyActivity', {})).toMatchObject({ verdict: 'intact' });
    } finally {
      for (const proxy of started.splice(0)) await proxy.dispose();
      await server.remove();
    }
  });

test('a back-up replaces another back-up and nothing else: neither the database in use nor a key; Ctrl-C leaves no file under the final name', async () => {
  const proxy = await start({});
  await addTask(proxy, 'one');
  const backup = async (file: string) =>
    (await runHere(['db', 'backup', file, '--force', ...proxy.place])).code;
  for (const name of ['mcpproxy.db', 'api_key']) {
    const path = join(proxy.dataDir, name);
    const before = statSync(path).ino;
    expect([name, await backup(path), statSync(path).ino]).toEqual([name, 2, before]);
  }
  const file = join(dir, 'again.backup');
  expect([await backup(file), await backup(file)]).toEqual([0, 0]);
  const nowhere = await runHere(['db', 'backup', join(dir, 'none', 'a'), ...proxy.place]);
  expect([nowhere.code, nowhere.stderr]).toEqual([1, expect.stringContaining('BACKUP_FAILED')]);
  expect(nowhere.stderr).toContain(`There is no folder ${join(dir, 'none')}, so no back-up was written`);
  rmSync(file);

  const stopped = join(dir, 'stopped.backup');
  const child = spawnCli(['db', 'backup', stopped, ...proxy.place], { home: proxy.home });
  child.stdin.end();
  child.stderr.once('data', () => child.kill('SIGINT'));
  const { code } = await finished(child);
  // It may have been complete already; half a file never has that name.
  if (code === 0) expect(readdirSync(dir)).toEqual(['stopped.backup']);
  else expect([code, readdirSync(dir)]).toEqual([130, []]);
});
