import { constants, existsSync, statSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DatabaseSync } from '@photostructure/sqlite';
import { ProxyError } from '../../contract/errors.ts';
import { isUpToDate } from '../migrate.ts';
import { openSqliteDatabase, type SqliteOptions } from './database.ts';
import { createReopenable, type Sqlite } from './sqlite.ts';

/** A database file that is read without creating, locking or changing anything in its directory. */
export interface UntouchedFile {
  /** For SQLite: a URL with options, or the path of a copy. */
  name: string;
  /** False if another process has written to the file meanwhile, so that reads may have mixed two states. */
  isUnchanged(): boolean;
  close(): Promise<void>;
}

/** SQLite readers create files beside the database. URL options or a copy prevent it. */
export async function openUntouched(file: string): Promise<UntouchedFile> {
  // A write-ahead log without its index, as in files that were copied: SQLite would create the index beside them.
  if (sizeOf(`${file}-wal`) > 0 && !existsSync(`${file}-shm`)) return openCopy(file);
  // No writer exists, or the shared index is read-only.
  const option = sizeOf(`${file}-wal`) === 0 ? 'immutable' : 'readonly_shm';
  const before = stateOf(file);
  return {
    name: `${pathToFileURL(file).href}?${option}=1`,
    isUnchanged: () => option !== 'immutable' || stateOf(file) === before,
    close: async () => {},
  };
}

/** A file that does not exist is copied as an empty one. */
async function openCopy(file: string): Promise<UntouchedFile> {
  const dir = await mkdtemp(join(tmpdir(), 'mcpproxy-read-'));
  const name = join(dir, 'copy.db');
  const close = () => rm(dir, { recursive: true, force: true });
  try {
    for (const suffix of ['', '-wal'])
      if (existsSync(file + suffix)) await copyFile(file + suffix, name + suffix, constants.COPYFILE_FICLONE);
    return { name, isUnchanged: () => true, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function stateOf(file: string): string {
  const { mtimeMs, size } = statSync(file);
  return [mtimeMs, size, sizeOf(`${file}-wal`)].join(' ');
}

const sizeOf = (file: string) => (existsSync(file) ? statSync(file).size : 0);

/** A connection that cannot write. */
export interface ReadOnlySqlite extends UntouchedFile {
  sqlite: Sqlite;
}

/** A file of an earlier version, and one that does not exist yet, are read as a copy of the present form. */
export async function openSqliteReadOnly({ file, log }: SqliteOptions): Promise<ReadOnlySqlite> {
  if (existsSync(file)) {
    const found = await openUntouched(file);
    const current = connectIfCurrent(found);
    if (current) return current;
    await found.close();
  }
  const copy = await openCopy(file);
  try {
    await (await openSqliteDatabase({ file: copy.name, log })).close();
    return withConnection(copy, connect(copy.name));
  } catch (cause) {
    await copy.close();
    const why = cause instanceof Error ? cause.message.replaceAll(copy.name, file) : String(cause);
    throw new ProxyError('INTERNAL', why, { file }).withCause(cause);
  }
}

function withConnection(file: UntouchedFile, sqlite: Sqlite): ReadOnlySqlite {
  return {
    ...file,
    sqlite,
    async close() {
      sqlite.close();
      await file.close();
    },
  };
}

function connect(name: string): Sqlite {
  return createReopenable(() => {
    const handle = new DatabaseSync(name, { readOnly: true, timeout: 5000 });
    handle.exec('PRAGMA trusted_schema = OFF');
    return handle;
  });
}

/** Undefined for an empty file, one of another version, or one that is not of mcpproxy. */
function connectIfCurrent(file: UntouchedFile): ReadOnlySqlite | undefined {
  const sqlite = connect(file.name);
  try {
    const rows = sqlite.prepare('SELECT name FROM kysely_migration').all() as Array<{ name: string }>;
    if (isUpToDate('sqlite', rows)) return withConnection(file, sqlite);
  } catch {
    // The migration of the copy says what is wrong with it.
  }
  sqlite.close();
  return undefined;
}
