import type pg from 'pg';
import type { PostgresDatabase } from './postgres/database.ts';
import type { RowSeal } from './seal/row-seal.ts';
import { SEALED_TABLES, type SealedRow, type SealedTable } from './seal/sealed-columns.ts';
import type { SqliteDatabase } from './sqlite/database.ts';

export interface MovedTable {
  table: string;
  /** Rows on the old side. */
  rows: number;
  /** Those that are on the new side because of this run. */
  moved: number;
  /** Those that are not there, as another row stands in their place. */
  conflicts: number;
  /** Those that are left behind, as their seal does not hold. */
  broken?: number;
}

interface Column {
  name: string;
  /** The server numbers the rows itself. */
  generated: boolean;
}

const BATCH = 500;

/** The activity log is moved by the log itself, which knows its chain. The other tables concern one database only. */
const NOT_MOVED = /^(activity($|_)|kysely_|database_probe$|token_state$|row_key$|config_)/;

/**
 * Copies every other table, row by row. A row whose key exists at the destination is not overwritten, so the copy can be repeated, and
 * several proxies can be moved to the same database.
 */
export async function moveTables(
  from: SqliteDatabase,
  to: PostgresDatabase,
  { seal, signal }: { seal: RowSeal; signal: AbortSignal },
): Promise<MovedTable[]> {
  const moved: MovedTable[] = [];
  for (const table of await sharedTables(from, to.pool)) {
    moved.push(await moveTable(table, { from, pool: to.pool, seal, signal }));
  }
  // Other proxies look at this number to see whether they must read the tokens again.
  if (moved.some(({ table, moved: n }) => table === 'tokens' && n > 0))
    await to.pool.query(`UPDATE token_state SET value = value + 1 WHERE key = 'revision'`);
  return moved;
}

async function sharedTables({ sqlite }: SqliteDatabase, pool: pg.Pool): Promise<string[]> {
  const here = sqlite.prepare(`SELECT name FROM sqlite_master WHERE type = 'table'`).all() as Array<{
    name: string;
  }>;
  const { rows } = await pool.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'
     ORDER BY table_name`,
  );
  const known = new Set(here.map(({ name }) => name));
  return rows.map(({ name }) => name).filter((name) => known.has(name) && !NOT_MOVED.test(name));
}

interface TableMove {
  from: SqliteDatabase;
  pool: pg.Pool;
  seal: RowSeal;
  signal: AbortSignal;
}

async function moveTable(table: string, { from, pool, seal, signal }: TableMove): Promise<MovedTable> {
  const columns = (await columnsOf(pool, table))
    .filter(({ generated }) => !generated)
    .map(({ name }) => name);
  const key = await keyOf(pool, table, columns);
  const result: MovedTable = { table, rows: 0, moved: 0, conflicts: 0 };
  const select = from.sqlite.prepare(
    `SELECT ${columns.map(quoted).join()} FROM ${quoted(table)} LIMIT ? OFFSET ?`,
  );
  for (;;) {
    signal.throwIfAborted();
    const read = select.all(BATCH, result.rows) as Array<Record<string, unknown>>;
    if (read.length === 0) return result;
    const rows = intactRows(table, read, seal).map(storable);
    if (rows.length < read.length) result.broken = (result.broken ?? 0) + read.length - rows.length;
    const inserted = await pool.query(insertInto(table, columns), [JSON.stringify(rows)]);
    const there = await pool.query<{ n: number }>(countThere(table, key), [JSON.stringify(rows)]);
    result.rows += read.length;
    result.moved += inserted.rowCount ?? 0;
    result.conflicts += rows.length - there.rows[0]!.n;
  }
}

async function columnsOf(pool: pg.Pool, table: string): Promise<Column[]> {
  const { rows } = await pool.query<Column>(
    `SELECT column_name AS name, is_identity = 'YES' AS generated FROM information_schema.columns
     WHERE table_schema = current_schema() AND table_name = $1 ORDER BY ordinal_position`,
    [table],
  );
  return rows;
}

/** The columns that name a row on both sides: the primary key, or else what is unique. A number that each side gives itself names nothing. */
async function keyOf(pool: pg.Pool, table: string, columns: readonly string[]): Promise<string[]> {
  const { rows } = await pool.query<{ columns: string[] }>(
    `SELECT array_agg(a.attname::text) AS columns FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
     WHERE i.indrelid = $1::regclass AND i.indisunique AND i.indpred IS NULL GROUP BY i.indexrelid, i.indisprimary
     ORDER BY i.indisprimary DESC, i.indexrelid`,
    [quoted(table)],
  );
  const key = rows.map((row) => row.columns).find((names) => names.every((name) => columns.includes(name)));
  if (!key) throw new Error(`table ${table} has no key by which its rows can be found again`);
  return key;
}

function insertInto(table: string, columns: readonly string[]): string {
  const names = columns.map(quoted).join();
  return `INSERT INTO ${quoted(table)} (${names})
    SELECT ${names} FROM json_populate_recordset(NULL::${quoted(table)}, $1::json) ON CONFLICT DO NOTHING`;
}

function countThere(table: string, key: readonly string[]): string {
  const same = key.map((name) => `t.${quoted(name)} = r.${quoted(name)}`).join(' AND ');
  return `SELECT count(*) AS n FROM json_populate_recordset(NULL::${quoted(table)}, $1::json) AS r JOIN ${quoted(table)} t ON ${same}`;
}

/** Rows that let something pass are moved only where their seal holds. */
function intactRows(
  table: string,
  rows: Array<Record<string, unknown>>,
  seal: RowSeal,
): Array<Record<string, unknown>> {
  const sealed = SEALED_TABLES.find((name) => name === table);
  if (!sealed) return rows;
  return rows.flatMap((row) => seal.carried(sealed, row as unknown as SealedRow<SealedTable>) ?? []);
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** PostgreSQL keeps no NUL in a text. */
function storable(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.replaceAll('\0', '\ufffd') : value,
    ]),
  );
}
