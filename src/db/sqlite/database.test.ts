import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLog } from '../../lib/log.ts';
import { openDatabase } from '../database.ts';
import type { SqliteDatabase } from './database.ts';

const log = createLog('silent');
let dir: string;
let db: SqliteDatabase | undefined;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'mcpproxy-db-'));
});
afterEach(async () => {
  await db?.close();
  db = undefined;
  rmSync(dir, { recursive: true });
});

const modeOf = (path: string) => statSync(path).mode & 0o777;
const setState = (key: string, value: number) => ({
  run: () => void db!.sqlite.prepare('INSERT OR REPLACE INTO activity_state VALUES (?, ?)').run(key, value),
});
const states = () =>
  db!.sqlite
    .prepare('SELECT key FROM activity_state ORDER BY key')
    .all()
    .map((row) => (row as { key: string }).key);

describe('database', () => {
  test('is readable by its owner alone, side files included', async () => {
    const file = join(dir, 'inner', 'a.db');
    db = await openDatabase({ file, log });
    await db.writes.add(setState('a', 1));
    expect([file, `${file}-wal`, `${file}-shm`].map(modeOf)).toEqual([0o600, 0o600, 0o600]);
    expect(modeOf(join(dir, 'inner'))).toBe(0o700);
  });

  test('commits to a write-ahead log with full synchronisation', async () => {
    db = await openDatabase({ file: join(dir, 'a.db'), log });
    const pragma = (name: string) =>
      Object.values(db!.sqlite.prepare(`PRAGMA ${name}`).get() as object)[0] as unknown;
    expect([
      pragma('journal_mode'),
      pragma('synchronous'),
      pragma('foreign_keys'),
      pragma('auto_vacuum'),
    ]).toEqual(['wal', 2, 1, 2]);
    expect(pragma('busy_timeout')).toBe(10);
  });

  test('keeps what was committed when opened again, and migrates once', async () => {
    const file = join(dir, 'a.db');
    db = await openDatabase({ file, log });
    const migrations = () =>
      sql<{ name: string }>`SELECT name, timestamp FROM kysely_migration ORDER BY name`.execute(db!.kysely);
    const { rows } = await migrations();
    expect(rows[0]?.name).toBe('0001-activity');
    await db.writes.add(setState('kept', 1));
    await db.close();
    db = await openDatabase({ file, log });
    expect(states()).toEqual(['kept']);
    expect((await migrations()).rows).toEqual(rows);
  });

  test('a file that is no database is refused with a sentence, and not touched', async () => {
    const file = join(dir, 'a.db');
    writeFileSync(
      file,
      'this is a letter and not a database at all, and it is long enough for a header '.repeat(20),
    );
    await expect(openDatabase({ file, log })).rejects.toThrow(/cannot be opened.*Move the file away/);
    expect(statSync(file).size).toBeGreaterThan(1000);
  });

  test('a full disk rejects the whole transaction with AUDIT_UNAVAILABLE, and writing recovers with the disk', async () => {
    db = await openDatabase({ file: join(dir, 'a.db'), log });
    const seen: string[] = [];
    db.onCommit({
      beforeCommit: () => {},
      committed: () => seen.push('committed'),
      rolledBack: () => seen.push('rolled back'),
    });
    const { page_count: pages } = db.sqlite.prepare('PRAGMA page_count').get() as { page_count: number };
    db.sqlite.exec(`PRAGMA max_page_count = ${pages}`);
    const large = {
      run: () =>
        void db!.sqlite.prepare(`INSERT INTO activity_state VALUES (hex(zeroblob(100000)), 1)`).run(),
    };
    const outcome = await Promise.allSettled([db.writes.add(setState('a', 1)), db.writes.add(large)]);
    expect(outcome).toMatchObject([
      { reason: { code: 'AUDIT_UNAVAILABLE' } },
      { reason: { code: 'AUDIT_UNAVAILABLE' } },
    ]);
    expect(states()).toEqual([]);

    db.sqlite.exec('PRAGMA max_page_count = 1000000');
    await db.writes.add(large);
    await db.writes.add(setState('b', 1));
    expect(states().map((key) => key.slice(0, 1))).toEqual(['0', 'b']);
    expect(seen).toEqual(['rolled back', 'committed', 'committed']);
  });

  test('write() gives a result, and its error stays its own', async () => {
    db = await openDatabase({ file: join(dir, 'a.db'), log });
    const failing = db.write((sqlite) => {
      sqlite.exec(`INSERT INTO activity_state VALUES ('half', 1)`);
      throw new Error('mine');
    });
    const [mine, other, value] = await Promise.allSettled([
      failing,
      db.writes.add(setState('other', 1)),
      db.write(() => 42),
    ]);
    expect([mine, other, value]).toMatchObject([
      { reason: { message: 'mine' } },
      { status: 'fulfilled' },
      { value: 42 },
    ]);
    expect(states()).toEqual(['other']);
  });

  test('a group commit waits for a transaction of Kysely instead of joining it', async () => {
    db = await openDatabase({ file: join(dir, 'a.db'), log });
    const transaction = db.kysely.transaction().execute(async (trx) => {
      await trx.insertInto('activity_state').values({ key: 'half', value: 1 }).execute();
      await new Promise((resolve) => setTimeout(resolve, 20));
      throw new Error('changed my mind');
    });
    await new Promise(setImmediate);
    const written = db.writes.add(setState('mine', 1));
    await expect(transaction).rejects.toThrow('changed my mind');
    await written;
    expect(states()).toEqual(['mine']);
    expect(await db.kysely.selectFrom('activity_state').selectAll().execute()).toEqual([
      { key: 'mine', value: 1 },
    ]);
  });

  test('Kysely streams, and reports affected rows', async () => {
    db = await openDatabase({ file: join(dir, 'a.db'), log });
    await db.kysely
      .insertInto('activity_bucket')
      .values([
        { level: 0, first_seq: 1 },
        { level: 0, first_seq: 2 },
      ])
      .execute();
    const seen: number[] = [];
    for await (const row of db.kysely.selectFrom('activity_bucket').selectAll().stream())
      seen.push(row.first_seq);
    expect(seen).toEqual([1, 2]);
    const removed = await db.kysely
      .deleteFrom('activity_bucket')
      .where('first_seq', '>', 1)
      .executeTakeFirstOrThrow();
    expect(removed.numDeletedRows).toBe(1n);
  });
});
