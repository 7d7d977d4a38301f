import type { Kysely } from 'kysely';
import type { Log } from '../lib/log.ts';
import type { Health } from './health.ts';
import type { PostgresDatabase, PostgresOptions } from './postgres/database.ts';
import type { Tables } from './schema.ts';
import { openSqliteDatabase, type SqliteDatabase, type SqliteOptions } from './sqlite/database.ts';

/** What every part can rely on, whichever engine is behind it. */
export interface AnyDatabase {
  /** For queries and everything that is not hot. Compiling a query costs tens of microseconds. */
  readonly kysely: Kysely<Tables>;
  /** Where it is, as it may be shown: a file, or postgres://user@host:port/name. Never with a password. */
  readonly place: string;
  /** Whether writes arrive. After a failure it is tried again every second, so that nobody has to restart anything. */
  health(): Health;
  close(): Promise<void>;
}

export type Database = SqliteDatabase | PostgresDatabase;
export type Engine = Database['engine'];

/** Which database is meant: an SQLite file, or a PostgreSQL server. */
export type DatabasePlace = { file: string } | { url: string };

export type OpenOptions = DatabasePlace & { log: Log };

export function openDatabase(options: SqliteOptions): Promise<SqliteDatabase>;
export function openDatabase(options: PostgresOptions): Promise<PostgresDatabase>;
export function openDatabase(options: OpenOptions): Promise<Database>;
export async function openDatabase(options: OpenOptions): Promise<Database> {
  if ('file' in options) return openSqliteDatabase(options);
  // Loaded only where it is used: an embedded database should not wait for a client that it does not need.
  const { openPostgresDatabase } = await import('./postgres/database.ts');
  return openPostgresDatabase(options);
}
