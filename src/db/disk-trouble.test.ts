import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { disk, openOnDisk } from '../../test/fixtures/failing-disk.ts';
import { createLog } from '../lib/log.ts';
import { openDatabase } from './database.ts';
import type { SqliteDatabase } from './sqlite/database.ts';
import { openSqlite } from './sqlite/sqlite.ts';

const log = createLog('silent');
let dir: string;
let db: SqliteDatabase;
beforeEach(async () => {
  Object.assign(disk, { trouble: 'none', opened: 0 });
  dir = mkdtempSync(join(tmpdir(), 'mcpproxy-db-'));
  db = await openDatabase({ file: join(dir, 'a.db'), log, open: openOnDisk });
});
afterEach(async () => {
  disk.trouble = 'none';
  await db.close();
  rmSync(dir, { recursive: true });
});

const add = (key: string) =>
  db.writes.add({
    run: () => void db.sqlite.prepare('INSERT OR REPLACE INTO activity_state VALUES (?, 1)').run(key),
  });
const keys = () =>
  (db.sqlite.prepare('SELECT key FROM activity_state ORDER BY key').all() as Array<{ key: string }>)
    .map(({ key }) => key)
    .filter((key) => key !== 'probed_at');

describe('a disk that fails', () => {
  test.each(['before', 'after'] as const)(
    'after a failed sync (%s the frames are written) the handle is closed, and writes resume automatically on a new one',
    async (when) => {
      const seen: string[] = [];
      db.onCommit({
        beforeCommit: () => {},
        committed: () => {},
        rolledBack: () => seen.push('rolled back'),
        reopened: () => seen.push('reopened'),
      });
      await add('a');
      disk.trouble = when;
      await expect(add('b')).rejects.toMatchObject({ code: 'AUDIT_UNAVAILABLE' });
      expect(db.health()).toMatchObject({ ok: false, reason: 'disk I/O error' });
      // The disk would work again, but this handle is not asked any more.
      disk.trouble = 'none';
      await expect(add('c')).rejects.toMatchObject({ code: 'AUDIT_UNAVAILABLE' });
      expect(disk.opened).toBe(1);
      await expect.poll(() => db.health()).toEqual({ ok: true });
      expect(disk.opened).toBe(2);
      expect(seen).toContain('reopened');
      await add('d');
      expect(keys()).toEqual(when === 'before' ? ['a', 'd'] : ['a', 'b', 'd']);
    },
  );

  test('while the disk keeps failing, every write gets the error', async () => {
    disk.trouble = 'before';
    await expect(add('a')).rejects.toMatchObject({ code: 'AUDIT_UNAVAILABLE' });
    await expect.poll(() => disk.opened).toBeGreaterThan(2);
    await expect(add('b')).rejects.toMatchObject({ code: 'AUDIT_UNAVAILABLE' });
    disk.trouble = 'none';
    await expect.poll(() => db.health().ok).toBe(true);
    await add('c');
    expect(keys()).toEqual(['c']);
  });
});

describe('Kysely on a disk that fails', () => {
  const insert = (key: string) =>
    db.kysely
      .transaction()
      .execute((trx) => trx.insertInto('activity_state').values({ key, value: 1 }).execute());

  test('a write that the disk did not confirm is told as such, and no further one is taken until the handle is new', async () => {
    await insert('a');
    disk.trouble = 'before';
    await expect(insert('b')).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
    expect(db.health()).toMatchObject({ ok: false });
    disk.trouble = 'none';
    await expect(insert('c')).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
    expect((await db.kysely.selectFrom('activity_state').selectAll().execute()).length).toBeGreaterThan(0);
    await expect.poll(() => db.health()).toEqual({ ok: true });
    await insert('d');
    expect(keys()).toEqual(['a', 'd']);
  });

  test('what a statement does wrong is its own matter', async () => {
    await insert('a');
    await expect(insert('a')).rejects.toThrow(/UNIQUE/);
    expect(db.health()).toEqual({ ok: true });
  });
});

describe('a file that others touch', () => {
  test('one that another program holds for a moment is waited for, and nobody else is held up', async () => {
    const other = openSqlite(db.file);
    other.exec('BEGIN IMMEDIATE');
    const added = add('a');
    const changed = db.kysely.insertInto('activity_state').values({ key: 'b', value: 1 }).execute();
    // Somebody else's turn: inside SQLite the whole process would wait, and this would never come.
    await new Promise((done) => setTimeout(done, 100));
    other.exec('ROLLBACK');
    other.close();
    await Promise.all([added, changed]);
    expect(keys()).toEqual(['a', 'b']);
  });

  test('one that is gone takes no more writes, and no other is put in its place', async () => {
    await add('a');
    renameSync(db.file, `${db.file}.away`);
    await expect(add('b')).rejects.toMatchObject({
      code: 'AUDIT_UNAVAILABLE',
      message: expect.stringContaining('was deleted or replaced while it was open: put it back') as string,
    });
    await new Promise((done) => setTimeout(done, 1100));
    expect([db.health().ok, existsSync(db.file)]).toEqual([false, false]);
    renameSync(`${db.file}.away`, db.file);
    await expect.poll(() => db.health()).toEqual({ ok: true });
    await add('c');
    expect(keys()).toEqual(['a', 'c']);
  });
});
