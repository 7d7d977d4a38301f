import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/db/database.ts';
import { createLog } from '../../src/lib/log.ts';
import type { SqliteDatabase } from '../../src/db/sqlite/database.ts';
import { newPostgres } from '../fixtures/engines.ts';
import { draft, openLogOn, openTestLog, type TestLog } from '../fixtures/activity-log.ts';
import { runHere } from './cli-here.ts';
import { finished, spawnCli } from './run-cli.ts';

/** Beside the log, as of the migration 0015-row-seals. */
const TABLES_0015 = new Set(
  'accepted_definitions approval_calls approvals conversation_messages conversations grants known_tools row_key state_key tasks token_state tokens'.split(
    ' ',
  ),
);

let home: string;
let log: TestLog<SqliteDatabase>;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'mcpproxy-evidence-'));
  log = await openTestLog();
});
afterAll(async () => {
  await log.remove();
  rmSync(home, { recursive: true, force: true });
});

async function fill(records: number): Promise<void> {
  for (let i = 0; i < records; i += 1000) {
    const some = Array.from({ length: Math.min(1000, records - i) }, (_, k) =>
      log.activity.open(draft({ request_id: `r${i + k}` })).close({ status: 'success' }),
    );
    await Promise.all(some);
  }
  await log.activity.checkpoint();
}

/** A data directory as somebody finds it: with the files of a running or crashed proxy, or without. */
function evidence(name: string, files: readonly string[]): string {
  const dir = join(home, name);
  cpSync(log.dir, dir, { recursive: true, filter: (file) => !file.includes('activity.db') });
  for (const suffix of files) copyFileSync(`${log.db.file}${suffix}`, join(dir, `mcpproxy.db${suffix}`));
  return dir;
}

/** Names, bytes and times of everything in a directory, and the time of the directory itself. */
const stateOf = (dir: string) => [
  statSync(dir).mtimeMs,
  ...readdirSync(dir)
    .sort()
    .map((name) => [
      name,
      statSync(join(dir, name)).mtimeMs,
      readFileSync(join(dir, name)).toString('base64'),
    ]),
];

type Read = readonly [command: string[], code: number];

/** Everything that reads a log, with the exit code on one that is intact. */
const reads = (record: string): Read[] => [
  [['verify', '-o', 'json'], 0],
  [['list', '-o', 'json'], 0],
  [['list', '-q', 'read_file', '--limit', '1'], 0],
  [['show', record], 0],
  [['summary'], 0],
  [['series'], 0],
  [['export'], 0],
  [['export', '--format', 'csv', '--since', '1w'], 0],
  [['export', '--sealed', join(home, 'sealed'), '--force'], 0],
  [['audit', '--principal', 'operator', '-o', 'json'], 2],
];

const read = (dir: string, command: readonly string[]) =>
  runHere(['activity', ...command, '--data-dir', dir]);
const verify = (dir: string, ...more: string[]) => read(dir, ['verify', '-o', 'json', ...more]);
const answer = ({ stdout }: { stdout: string }) => JSON.parse(stdout) as { why: string; verdict: string };

describe('a log that is read without a daemon', () => {
  test('nothing is changed, added or touched: after a clean end, after a crash, in a copy without the index of the write-ahead log, in a copy without keys', async () => {
    await fill(50);
    const crashed = evidence('crashed', ['', '-wal', '-shm']);
    expect(statSync(join(crashed, 'mcpproxy.db-wal')).size).toBeGreaterThan(0);
    log.db.sqlite.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    const clean = evidence('clean', ['']);
    const copied = join(home, 'copied');
    cpSync(crashed, copied, { recursive: true, filter: (name) => !name.endsWith('-shm') });
    const [record] = (await log.activity.list({}, { limit: 1 })).records;
    for (const dir of [clean, crashed, copied]) {
      const before = stateOf(dir);
      for (const [command, code] of reads(record!.id)) {
        const { code: ended, stderr } = await read(dir, command);
        expect([command[0], ended, stderr]).toEqual([command[0], code, expect.any(String)]);
        expect(stateOf(dir), `after ${command.join(' ')}`).toEqual(before);
      }
      expect(answer(await read(dir, ['list', '-o', 'json']))).toMatchObject({ total: 50 });
      expect(answer(await verify(dir))).toMatchObject({ verdict: 'intact', records: 50 });
    }

    const withoutKeys = join(home, 'without-keys');
    mkdirSync(withoutKeys);
    copyFileSync(log.db.file, join(withoutKeys, 'mcpproxy.db'));
    const before = stateOf(withoutKeys);
    expect(answer(await read(withoutKeys, ['list', '-o', 'json']))).toMatchObject({ total: 50 });
    expect((await read(withoutKeys, ['show', record!.id])).stdout).toContain(record!.id);
    expect((await read(withoutKeys, ['digest'])).code).toBe(2);
    expect((await verify(withoutKeys)).code).not.toBe(0);
    expect(stateOf(withoutKeys)).toEqual(before);
  });

  test('nor is anything created where there is no log, and the missing file is named', async () => {
    const gone = evidence('gone', []);
    const before = stateOf(gone);
    expect((await verify(gone)).code).toBe(8);
    const { code, stdout, stderr } = await read(gone, ['list', '-o', 'json']);
    expect([code, (JSON.parse(stdout) as { total: number }).total]).toEqual([0, 0]);
    expect(stderr).toContain('mcpproxy.db does not exist');
    expect(stateOf(gone)).toEqual(before);
    const nowhere = join(home, 'nowhere');
    expect((await verify(nowhere)).code).toBe(8);
    expect((await read(nowhere, ['list'])).code).toBe(0);
    expect(readdirSync(home)).not.toContain('nowhere');
  });

  test('a log of an earlier version is read as a copy', async () => {
    const old = evidence('old', ['']);
    const db = new DatabaseSync(join(old, 'mcpproxy.db'));
    // The first of the later migrations only moves counts, so it can run again; the others make tables.
    db.exec(`DELETE FROM kysely_migration WHERE name >= '0016'`);
    const tables = db.prepare(`SELECT name FROM sqlite_master WHERE type = 'table'`).all() as Array<{
      name: string;
    }>;
    const later = tables.filter(
      ({ name }) => !/^(activity|sqlite_|kysely_)/.test(name) && !TABLES_0015.has(name),
    );
    for (const { name } of later) db.exec(`DROP TABLE ${name}`);
    db.exec('PRAGMA journal_mode = DELETE');
    db.close();
    const before = stateOf(old);
    expect(answer(await read(old, ['list', '-o', 'json']))).toMatchObject({ total: 50 });
    expect(stateOf(old)).toEqual(before);
  });

  test('names what is missing beside the log', async () => {
    const lost = evidence('lost', ['']);
    rmSync(join(lost, 'checkpoints.log'));
    const unknown = await verify(lost);
    expect(unknown.code).toBe(8);
    expect(answer(unknown).why).toContain('checkpoints.log is missing');
    const copy = join(log.dir, 'checkpoints.log');
    expect((await verify(lost, '--checkpoint', copy)).code).toBe(0);
    expect(answer(await verify(join(home, 'gone'))).why).toMatch(
      /is missing: .*names log \w+ with \d+ entries/,
    );
  });

  test('on PostgreSQL too', async () => {
    const { url, remove } = await newPostgres();
    const db = await openDatabase({ url, log: createLog('silent') });
    const stored = await openLogOn(db);
    try {
      await stored.activity.open(draft()).close({ status: 'success' });
      await stored.activity.checkpoint();
      const [record] = (await stored.activity.list({}, { limit: 1 })).records;
      writeFileSync(join(stored.dir, 'mcp_config.json'), JSON.stringify({ database_url: url }));
      const rows = async () =>
        Promise.all(
          ['activity_log', 'activity_journal', 'activity', 'activity_facet'].map(
            async (table) => (await db.pool.query(`SELECT * FROM ${table}`)).rows as unknown[],
          ),
        );
      const before = [stateOf(stored.dir), await rows()];
      for (const [command, code] of reads(record!.id)) {
        const { code: ended, stderr } = await read(stored.dir, command);
        expect([command[0], ended, stderr]).toEqual([command[0], code, expect.any(String)]);
        expect([stateOf(stored.dir), await rows()], `after ${command.join(' ')}`).toEqual(before);
      }
      expect(answer(await verify(stored.dir))).toMatchObject({ verdict: 'intact', records: 1 });
    } finally {
      await stored.remove();
      await db.close();
      await remove();
    }
  });
});

describe('a verification that is stopped', () => {
  /** How often a process has opened a file. */
  const opened = (pid: number, name: string): number => {
    try {
      return readdirSync(`/proc/${pid}/fd`).filter((fd) => linkOf(`/proc/${pid}/fd/${fd}`).endsWith(name))
        .length;
    } catch {
      return 0;
    }
  };
  const linkOf = (file: string) => {
    try {
      return readlinkSync(file);
    } catch {
      return '';
    }
  };

  test('ends with the code of its signal while threads read a long log; nothing aborts', async () => {
    await fill(24_000);
    log.db.sqlite.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    const dir = evidence('long', ['']);
    const stopped = async (signal: NodeJS.Signals) => {
      const child = spawnCli(['activity', 'verify', '--data-dir', dir], { home });
      child.stdin.end();
      const result = finished(child);
      const over = { yes: false };
      void result.then(() => (over.yes = true));
      // Both threads have opened the database by then, and are reading.
      while (!over.yes && opened(child.pid!, 'mcpproxy.db') < 2) await new Promise(setImmediate);
      child.kill(signal);
      return result;
    };
    for (const [signal, code] of [
      ['SIGTERM', 143],
      ['SIGINT', 130],
    ] as const) {
      const codes: Array<number | null> = [];
      // On a machine that is busy enough it may be done before the signal arrives; that says nothing.
      for (let tries = 0; tries < 50 && codes.filter((each) => each !== 0).length < 3; tries++) {
        const { code: ended, stderr } = await stopped(signal);
        expect(stderr).not.toContain('terminate');
        codes.push(ended);
      }
      expect(codes.filter((each) => each !== 0)).toEqual([code, code, code]);
    }
  });
});
