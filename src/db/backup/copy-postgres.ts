import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import type pg from 'pg';
import { foreignInPostgres } from '../foreign-objects.ts';
import { migrationsOf } from '../migrate.ts';
import { createClientFor } from '../postgres/connection.ts';
import type { CopyWatch } from './copy-sqlite.ts';
import { ownTables } from './own-tables.ts';

interface Column {
  name: string;
  type: string;
}

/** As many rows as make up about this much text. */
const CHARACTERS = 4_194_304;
const MAX_ROWS = 1000;
const FIRST_ROWS = 50;

/** Affinity in the copy. Everything else is stored as the text that PostgreSQL prints and reads. */
const NUMBERS: Record<string, string> = {
  bigint: 'INTEGER',
  integer: 'INTEGER',
  smallint: 'INTEGER',
  'double precision': 'REAL',
};

/**
 * Copies the tables of mcpproxy from one snapshot of the server to a new SQLite file, while proxies go on writing. Returns what mcpproxy did
 * not make there, if there is such: it is not in the copy, but decides what could be read.
 */
export async function copyPostgres(
  url: string,
  to: string,
  { onProgress, signal }: CopyWatch,
): Promise<string | undefined> {
  const client = createClientFor(url)({ statementMs: 0, answerMs: 0 });
  client.on('error', () => {}); // the running statement is rejected with the same error
  const copy = new DatabaseSync(to);
  try {
    // The file is flushed once, when it is complete.
    copy.exec('PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF');
    await client.connect();
    await client.query('SET idle_in_transaction_session_timeout = 0');
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const tables = await tablesIn(client);
    let [done, total] = [0, tables.reduce((sum, { rows }) => sum + rows, 0)];
    for (const { table } of tables)
      await copyTable(table, { client, copy, signal }, (rows) => {
        done += rows;
        total = Math.max(total, done); // the server only estimates it
        onProgress(done, total);
      });
    return await foreignInPostgres(client);
  } finally {
    copy.close();
    // A connection that cannot be closed any more is gone already.
    await client.end().catch(() => {});
  }
}

async function tablesIn(client: pg.Client): Promise<Array<{ table: string; rows: number }>> {
  const own = await ownTables(migrationsOf('postgres'));
  const { rows } = await client.query<{ table: string; rows: number }>(
    `SELECT relname::text AS table, greatest(reltuples, 0)::bigint AS rows FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') ORDER BY relname`,
  );
  return rows.filter(({ table }) => own.has(table));
}

interface TableCopy {
  client: pg.Client;
  copy: DatabaseSyncInstance;
  signal: AbortSignal;
}

async function copyTable(
  table: string,
  { client, copy, signal }: TableCopy,
  onRows: (rows: number) => void,
): Promise<void> {
  const columns = await columnsOf(client, table);
  const defined = columns.map(({ name, type }) => `${quoted(name)} ${NUMBERS[type] ?? 'TEXT'}`);
  const key = await keyOf(client, table);
  if (key.length > 0) defined.push(`PRIMARY KEY (${key.map(quoted).join()})`);
  copy.exec(`CREATE TABLE ${quoted(table)} (${defined.join()})`);
  const insert = copy.prepare(`INSERT INTO ${quoted(table)} VALUES (${columns.map(() => '?').join()})`);
  const read = columns.map(({ name, type }) => (type in NUMBERS ? quoted(name) : `${quoted(name)}::text`));
  await client.query(`DECLARE rows NO SCROLL CURSOR FOR SELECT ${read.join()} FROM ${quoted(table)}`);
  for (let most = FIRST_ROWS; ;) {
    signal.throwIfAborted();
    const { rows } = await client.query<Array<string | number | null>>({
      text: `FETCH ${most} FROM rows`,
      rowMode: 'array',
    });
    if (rows.length === 0) break;
    copy.exec('BEGIN');
    for (const row of rows) insert.run(...row);
    copy.exec('COMMIT');
    onRows(rows.length);
    most = nextBatch(rows);
  }
  await client.query('CLOSE rows');
}

/** Without those that the server computes from others. */
export async function columnsOf(client: Pick<pg.Client, 'query'>, table: string): Promise<Column[]> {
  const { rows } = await client.query<Column>(
    `SELECT column_name::text AS name, data_type::text AS type FROM information_schema.columns
     WHERE table_schema = current_schema() AND table_name = $1 AND is_generated = 'NEVER' ORDER BY ordinal_position`,
    [table],
  );
  return rows;
}

async function keyOf(client: pg.Client, table: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT a.attname::text AS name FROM pg_index i, unnest(i.indkey) WITH ORDINALITY AS k (attnum, place)
       JOIN pg_attribute a ON a.attnum = k.attnum
     WHERE i.indrelid = $1::regclass AND i.indisprimary AND a.attrelid = i.indrelid ORDER BY k.place`,
    [quoted(table)],
  );
  return rows.map(({ name }) => name);
}

/** Some rows are a thousand times as large as others. */
export function nextBatch(rows: ReadonlyArray<ReadonlyArray<unknown>>): number {
  const lengths = rows.flat().map((value) => (typeof value === 'string' ? value.length : 8));
  const characters = lengths.reduce((sum, length) => sum + length, 0);
  return Math.max(1, Math.min(MAX_ROWS, Math.floor((rows.length * CHARACTERS) / Math.max(1, characters))));
}

export const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
