import { Kysely, PostgresDialect } from 'kysely';
import type pg from 'pg';
import { createLog } from '../../lib/log.ts';
import { migrate, migrationsOf } from '../migrate.ts';
import { createPool } from '../postgres/connection.ts';
import type { Tables } from '../schema.ts';
import { openBackup, unusable } from './backup-file.ts';
import { columnsOf, nextBatch, quoted } from './copy-postgres.ts';
import type { CopyWatch } from './copy-sqlite.ts';

/** A database that was loaded beside the one in use, in a schema of its own. */
export interface StagedPostgres {
  /** Connections with this URL see the staged tables. */
  url: string;
  /**
   * Puts the staged tables into use, in one transaction. What they replace is moved to a schema `keepAs`, with a number where that is
   * taken. Returns its name; null if nothing was replaced.
   */
  commit(keepAs: string, check: CheckSwap): Promise<string | null>;
  /** Removes what was staged; after a commit, nothing is left to remove. */
  discard(): Promise<void>;
}

/** Throws where the tables may not be put into use; `isUsed`: others would be replaced. */
type CheckSwap = (client: pg.ClientBase, isUsed: boolean) => Promise<void>;

const FIRST_ROWS = 50;
const MAX_MS = 3_600_000;

/** Loads a back-up into a new schema. The tables in use are neither locked nor changed. */
export async function stagePostgres(
  url: string,
  backup: { path: string; migrations: readonly string[] },
  { schema, watch }: { schema: string; watch: CopyWatch },
): Promise<StagedPostgres> {
  const staged = inSchema(url, schema);
  const pool = createPool(staged, { size: 1, statementMs: 0, answerMs: MAX_MS });
  pool.on('error', () => {});
  const discard = async () => {
    await pool.query(`DROP SCHEMA IF EXISTS ${quoted(schema)} CASCADE`).catch(() => {}); // it is only left over
    await pool.end();
  };
  try {
    await pool.query(`CREATE SCHEMA ${quoted(schema)}`);
    await createTables(pool, schema, backup.migrations);
    await loadTables(pool, backup.path, watch);
    return { url: staged, discard, commit: (keepAs, check) => swap(url, { schema, keepAs }, check) };
  } catch (error) {
    await discard();
    throw error;
  }
}

/** The operator's own options stay; the last one of a name counts. */
function inSchema(url: string, schema: string): string {
  const parsed = new URL(url);
  const own = parsed.searchParams.get('options');
  parsed.searchParams.set('options', `${own ? `${own} ` : ''}-c search_path=${schema}`);
  return parsed.href;
}

/** The tables as the version that made the back-up had them; the next start brings them up to date. */
async function createTables(pool: pg.Pool, schema: string, names: readonly string[]): Promise<void> {
  const all = migrationsOf('postgres');
  const only = Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)));
  const kysely = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: { connect: () => pool.connect(), end: async () => {} } }),
  });
  await migrate({
    engine: 'postgres',
    kysely,
    place: schema,
    log: createLog('silent'),
    only,
    schema,
  });
  await kysely.destroy();
}

async function loadTables(pool: pg.Pool, path: string, { onProgress, signal }: CopyWatch): Promise<void> {
  const backup = openBackup(path);
  const client = await pool.connect();
  let broken = true;
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `SELECT tablename::text AS name FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1`,
    );
    const count = (table: string) =>
      (backup.prepare(`SELECT count(*) AS n FROM ${quoted(table)}`).get() as { n: number }).n;
    const total = tables.reduce((sum, { name }) => sum + count(name), 0);
    let done = 0;
    await client.query('BEGIN');
    // Migrations store a few rows of their own.
    for (const { name } of tables) await client.query(`DELETE FROM ${quoted(name)}`);
    for (const { name } of tables) {
      const columns = (await columnsOf(client, name)).map((column) => column.name);
      const select = backup.prepare(`SELECT ${columns.map(quoted).join()} FROM ${quoted(name)}`, {
        returnArrays: true,
      });
      const insert = insertInto(name, columns);
      for (const rows of batches(select.iterate() as Iterable<unknown[]>)) {
        signal.throwIfAborted();
        await client.query(insert, [JSON.stringify(rows.map((row) => toObject(columns, row)))]);
        done += rows.length;
        onProgress(done, total);
      }
      await continueIdentities(client, name);
    }
    await client.query('COMMIT');
    await client.query('ANALYZE');
    broken = false;
  } catch (cause) {
    if (signal.aborted) throw cause;
    throw unusable(path, (cause as Error).message).withCause(cause);
  } finally {
    client.release(broken);
    backup.close();
  }
}

function* batches(rows: Iterable<unknown[]>): Generator<unknown[][]> {
  let [batch, most] = [[] as unknown[][], FIRST_ROWS];
  for (const row of rows) {
    batch.push(row);
    if (batch.length < most) continue;
    yield batch;
    [batch, most] = [[], nextBatch(batch)];
  }
  if (batch.length > 0) yield batch;
}

const toObject = (columns: readonly string[], row: readonly unknown[]) =>
  Object.fromEntries(columns.map((name, index) => [name, row[index]]));

function insertInto(table: string, columns: readonly string[]): string {
  const names = columns.map(quoted).join();
  return `INSERT INTO ${quoted(table)} (${names}) OVERRIDING SYSTEM VALUE
    SELECT ${names} FROM json_populate_recordset(NULL::${quoted(table)}, $1::json)`;
}

/** Numbers that the server gives go on after the largest. */
async function continueIdentities(client: pg.ClientBase, table: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT column_name::text AS name FROM information_schema.columns
     WHERE table_schema = current_schema() AND table_name = $1 AND is_identity = 'YES'`,
    [table],
  );
  for (const { name } of rows)
    await client.query(
      `SELECT setval(pg_get_serial_sequence($1, $2), greatest(max(${quoted(name)}), 1), max(${quoted(name)}) IS NOT NULL)
       FROM ${quoted(table)}`,
      [quoted(table), name],
    );
}

async function swap(
  url: string,
  { schema, keepAs }: { schema: string; keepAs: string },
  check: CheckSwap,
): Promise<string | null> {
  const pool = createPool(url, { size: 1 });
  pool.on('error', () => {});
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const { rows } = await client.query<{ name: string; used: boolean }>(
      `SELECT tablename::text AS name, to_regclass(format('%I.%I', current_schema(), tablename)) IS NOT NULL AS used
       FROM pg_tables WHERE schemaname = $1 ORDER BY 1`,
      [schema],
    );
    const { rows: target } = await client.query<{ name: string }>('SELECT current_schema()::text AS name');
    const used = rows.filter((table) => table.used).map(({ name }) => name);
    for (const name of used) await client.query(`LOCK TABLE ${quoted(name)} IN ACCESS EXCLUSIVE MODE`);
    await check(client, used.length > 0);
    const kept = used.length > 0 ? await createFreeSchema(client, keepAs) : null;
    for (const name of used) await client.query(`ALTER TABLE ${quoted(name)} SET SCHEMA ${quoted(kept!)}`);
    for (const { name } of rows)
      await client.query(
        `ALTER TABLE ${quoted(schema)}.${quoted(name)} SET SCHEMA ${quoted(target[0]!.name)}`,
      );
    await client.query(`DROP SCHEMA ${quoted(schema)}`);
    await client.query('COMMIT');
    return kept;
  } finally {
    // Without a commit, the end of the connection undoes everything.
    client.release(true);
    await pool.end();
  }
}

/** Two restores within one second keep both. */
async function createFreeSchema(client: pg.ClientBase, wanted: string): Promise<string> {
  const isTaken = async (name: string) =>
    (await client.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [name])).rows.length > 0;
  let name = wanted;
  for (let n = 2; await isTaken(name); n++) name = `${wanted}_${n}`;
  await client.query(`CREATE SCHEMA ${quoted(name)}`);
  return name;
}
