import { existsSync } from 'node:fs';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { ProxyError } from '../../contract/errors.ts';
import { visibleLine } from '../../lib/visible-text.ts';
import type { Engine } from '../any-database.ts';
import { foreignInSqlite } from '../foreign-objects.ts';

/** What a back-up says about itself. */
export interface BackupInfo {
  format: 1;
  engine: Engine;
  created_at: string;
  /** The version of mcpproxy that made it. */
  version: string;
  /** The database that was backed up, without a password. */
  source: string;
}

/** A small file of the data directory. */
export interface BackedUpFile {
  name: string;
  content: Uint8Array;
}

/**
 * A back-up is one SQLite file, so that any SQLite tool can inspect it. From SQLite it is a copy of the database; from PostgreSQL it has a
 * table of the same name for each table. These two tables are added.
 */
const TABLES = `
  CREATE TABLE backup_info (info TEXT NOT NULL);
  CREATE TABLE backup_file (name TEXT PRIMARY KEY, content BLOB NOT NULL) WITHOUT ROWID;`;

/** Completes the file: afterwards it needs no other file beside it. */
export function sealBackup(path: string, info: BackupInfo, files: readonly BackedUpFile[]): void {
  const sqlite = new DatabaseSync(path);
  try {
    sqlite.exec(`PRAGMA synchronous = FULL; BEGIN; ${TABLES}`);
    sqlite.prepare('INSERT INTO backup_info VALUES (?)').run(JSON.stringify(info));
    const insert = sqlite.prepare('INSERT INTO backup_file VALUES (?, ?)');
    for (const { name, content } of files) insert.run(name, content);
    sqlite.exec('COMMIT');
  } finally {
    sqlite.close();
  }
}

/** Removes what was added, so that the copy is a database like before. */
export function unsealBackup(path: string): void {
  const sqlite = new DatabaseSync(path);
  try {
    sqlite.exec('PRAGMA synchronous = FULL; DROP TABLE backup_info; DROP TABLE backup_file');
  } finally {
    sqlite.close();
  }
}

export interface ReadBackup {
  info: BackupInfo;
  files: BackedUpFile[];
  /** The migrations of the database in it. */
  migrations: string[];
}

/** Reads and checks a back-up. Nothing beside it is created. */
export function readBackup(path: string): ReadBackup {
  if (!existsSync(path)) throw unusable(path, 'it does not exist');
  const sqlite = openBackup(path);
  try {
    requireSound(path, sqlite);
    const info = infoOf(path, sqlite);
    const files = sqlite
      .prepare('SELECT name, content FROM backup_file ORDER BY name')
      .all() as unknown as BackedUpFile[];
    const migrations = sqlite.prepare('SELECT name FROM kysely_migration ORDER BY name').all() as Array<{
      name: string;
    }>;
    return { info, files, migrations: migrations.map(({ name }) => name) };
  } catch (cause) {
    if (cause instanceof ProxyError) throw cause;
    throw unusable(path, (cause as Error).message).withCause(cause);
  } finally {
    sqlite.close();
  }
}

/** Whether the file is a back-up, sound or not. */
export function isBackup(path: string): boolean {
  try {
    const sqlite = openBackup(path);
    try {
      return infoOf(path, sqlite).format === 1;
    } finally {
      sqlite.close();
    }
  } catch {
    return false;
  }
}

/** Read-only, with nothing in the file trusted. */
export function openBackup(path: string): DatabaseSyncInstance {
  const sqlite = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
  sqlite.exec('PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON');
  return sqlite;
}

function requireSound(path: string, sqlite: DatabaseSyncInstance): void {
  const [first] = sqlite.prepare('PRAGMA quick_check(1)').all() as Array<{ quick_check: string }>;
  if (first?.quick_check !== 'ok')
    throw unusable(path, `it is damaged (${first?.quick_check ?? 'no answer'})`);
  // A trigger would run with the first write of the proxy. No back-up has one.
  const foreign = foreignInSqlite(sqlite);
  if (foreign !== undefined) throw unusable(path, `it contains ${foreign}, which mcpproxy never stores`);
}

function infoOf(path: string, sqlite: DatabaseSyncInstance): BackupInfo {
  const known = sqlite.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'backup_info'`).get();
  const row = known && (sqlite.prepare('SELECT info FROM backup_info').get() as { info: string } | undefined);
  if (!row) throw unusable(path, 'it was not made by mcpproxy db backup');
  const info = JSON.parse(row.info) as BackupInfo;
  if (info.format !== 1)
    throw unusable(path, `its format is ${String(info.format)}. Use a newer mcpproxy to restore it`);
  return info;
}

export function unusable(path: string, why: string): ProxyError {
  return new ProxyError('BACKUP_UNUSABLE', `The back-up ${path} cannot be used: ${visibleLine(why)}`, {
    file: path,
  });
}
