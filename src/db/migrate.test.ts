import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kysely } from 'kysely';
import { afterAll, describe, expect, test } from 'vitest';
import { createLog } from '../lib/log.ts';
import { openDatabase } from './database.ts';
import { migrate, migrationsOf } from './migrate.ts';
import type { Tables } from './schema.ts';
import { createSqliteDialect } from './sqlite/dialect.ts';
import type { SqliteDatabase } from './sqlite/database.ts';
import { createMutex, createReopenable, openSqlite } from './sqlite/sqlite.ts';

const log = createLog('silent');
const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-migrate-'));
afterAll(() => rmSync(dir, { recursive: true }));

const ALL = Object.entries(migrationsOf('sqlite'));
const schemaOf = ({ sqlite }: SqliteDatabase) =>
  sqlite.prepare('SELECT type, name, sql FROM sqlite_master ORDER BY type, name').all();

/** A database as an earlier version left it, which had this many migrations. */
async function olderDatabase(count: number): Promise<string> {
  const file = join(dir, `${count}.db`);
  const sqlite = createReopenable(() => openSqlite(file));
  const guard = { assertWritable: () => {}, toError: (cause: unknown) => cause };
  const kysely = new Kysely<Tables>({ dialect: createSqliteDialect(sqlite, createMutex(), guard) });
  await migrate({
    engine: 'sqlite',
    kysely,
    place: file,
    log,
    only: Object.fromEntries(ALL.slice(0, count)),
  });
  if (count >= 3)
    sqlite.exec(
      `INSERT INTO tasks (id, user_id, description, status, created_at) VALUES ('t', 'local', 'kept', 'pending', '2026-01-01')`,
    );
  sqlite.close();
  return file;
}

describe('an upgrade', () => {
  test('takes the database of every earlier version to the same schema as a new one, and keeps its rows', async () => {
    const fresh = await openDatabase({ file: join(dir, 'fresh.db'), log });
    const expected = schemaOf(fresh);
    await fresh.close();
    for (let count = 1; count < ALL.length; count++) {
      const db = await openDatabase({ file: await olderDatabase(count), log });
      expect(schemaOf(db), `after ${ALL[count - 1]![0]}`).toEqual(expected);
      if (count >= 3)
        expect(db.sqlite.prepare('SELECT description FROM tasks').all()).toEqual([{ description: 'kept' }]);
      await db.close();
    }
  });
});

describe('the way back', () => {
  test('an older program refuses the database of a newer one, changes nothing, and says what to do', async () => {
    const file = join(dir, 'newer.db');
    const db = await openDatabase({ file, log });
    db.sqlite.exec(
      `INSERT INTO kysely_migration VALUES ('9998-future', '2099-01-01'), ('9999-future', '2099-01-02')`,
    );
    const before = schemaOf(db);
    await db.close();
    await expect(openDatabase({ file, log })).rejects.toThrow(
      /was written by a newer mcpproxy.*9998-future, 9999-future.*db restore FILE --replace/,
    );
    const sqlite = openSqlite(file);
    expect(sqlite.prepare('SELECT type, name, sql FROM sqlite_master ORDER BY type, name').all()).toEqual(
      before,
    );
    sqlite.close();
  });
});
