import type { Log } from '../lib/log.ts';
import type { PostgresDatabase, PostgresOptions } from './postgres/database.ts';
import { openSqliteDatabase, type SqliteDatabase, type SqliteOptions } from './sqlite/database.ts';

export type Database = SqliteDatabase | PostgresDatabase;

/** Which database is meant: an SQLite file, or a PostgreSQL server. */
export type DatabaseLocation = { file: string } | { url: string };

export type OpenOptions = DatabaseLocation & { log: Log };

export function openDatabase(options: SqliteOptions): Promise<SqliteDatabase>;
export function openDatabase(options: PostgresOptions): Promise<PostgresDatabase>;
export function openDatabase(options: OpenOptions): Promise<Database>;
export async function openDatabase(options: OpenOptions): Promise<Database> {
  if ('file' in options) return openSqliteDatabase(options);
  // Loaded only where it is used: an embedded database should not wait for a client that it does not need.
  const { openPostgresDatabase } = await import('./postgres/database.ts');
  return openPostgresDatabase(options);
}
