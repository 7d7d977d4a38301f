import type pg from 'pg';
import { errorCode, type PostgresDatabase } from '../../../db/index.ts';
import { compact } from './compact.ts';

/** Each with an assignment that stores its long values again. */
const TABLES = {
  activity: `metadata = metadata || '', arguments = arguments || '', response = response || ''`,
  activity_text: `words = words || ''::tsvector`,
  activity_journal: `entry = entry || ''`,
} as const;
const NAMES = Object.keys(TABLES);
const MB = 1_048_576;

export interface FreeDiskLimits {
  /** Tables are rewritten if they are more than so many times as large as their records need, and by so much. */
  timesTooLarge: number;
  minFreed: number;
  /** If no more is left, the tables are rewritten at once, while writers wait for some seconds at most. */
  maxRewritten: number;
  /** More is moved in slices, for so long in one run. */
  sliceMs: number;
}

const LIMITS: FreeDiskLimits = {
  timesTooLarge: 2,
  minFreed: 8 * MB,
  maxRewritten: 64 * MB,
  sliceMs: 30_000,
};
/**
 * A statement that waits for a lock blocks all later ones, so it waits briefly; the next run tries again. It waits longer than
 * `deadlock_timeout` (1 s by default): only then does the server cancel its own autovacuum, which holds a lock on these tables.
 */
const LOCK_MS = 3_000;
const REWRITE_MS = 60_000;
const LOCK_NOT_AVAILABLE = '55P03';

export type FreeDisk = (bytes: number, signal: AbortSignal) => Promise<void>;

/**
 * Deleted rows keep their room in the files of the server, which uses it for new ones. Where most of the tables is free, the room is given
 * back to the system. To be called with the bytes of the records that are left.
 */
export function createFreeDisk(db: PostgresDatabase, limits: FreeDiskLimits = LIMITS): FreeDisk {
  /** Disk per byte of records after the last time: indexes of many different words are larger than the records. */
  let needed = 1;
  return async (bytes, signal) => {
    const { timesTooLarge, minFreed, maxRewritten } = limits;
    if ((await diskOf(db)) <= timesTooLarge * needed * bytes + minFreed) return;
    const isDone = await withClient(db, async (client) => {
      if (bytes > maxRewritten) return moveAll(client, signal, limits);
      let isRewritten = true;
      for (const table of NAMES)
        isRewritten = (await unlessLocked(client.query(`VACUUM (FULL, ANALYZE) ${table}`))) && isRewritten;
      return isRewritten;
    });
    if (isDone && !(await hasDeadRows(db))) needed = Math.max(1, (await diskOf(db)) / Math.max(1, bytes));
  };
}

async function moveAll(
  client: pg.Client,
  signal: AbortSignal,
  { sliceMs }: FreeDiskLimits,
): Promise<boolean> {
  const deadline = performance.now() + sliceMs;
  await dropUnfinished(client);
  for (const [table, rewrite] of Object.entries(TABLES)) {
    if (!(await compact({ client, table, rewrite, signal, deadline }))) return false;
    // Without a lock that writers would wait for.
    if (!(await unlessLocked(client.query(`REINDEX TABLE CONCURRENTLY ${table}`)))) return false;
  }
  return true;
}

/** An index that was being made again when the connection was lost is not used, but takes room. */
async function dropUnfinished(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT i.indexrelid::regclass::text AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
     WHERE NOT i.indisvalid AND c.relname ~ '_ccnew[0-9]*$' AND i.indrelid = ANY ($1::regclass[])`,
    [NAMES],
  );
  for (const { name } of rows) await unlessLocked(client.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`));
}

async function withClient<T>(db: PostgresDatabase, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = db.newClient({ answerMs: REWRITE_MS, statementMs: REWRITE_MS });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(`SET lock_timeout = ${LOCK_MS}`);
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Whether the work was done. It is left for the next run if somebody else holds a lock. */
async function unlessLocked(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (errorCode(error) === LOCK_NOT_AVAILABLE) return false;
    throw error;
  }
}

/** A transaction that began before the rows were deleted keeps them on disk, also in a rewritten table. The size then says nothing. */
async function hasDeadRows({ pool }: PostgresDatabase): Promise<boolean> {
  const { rows } = await pool.query<{ dead: boolean }>(
    `SELECT bool_or(n_dead_tup > 100 + n_live_tup / 10) AS dead FROM pg_stat_user_tables WHERE relid = ANY ($1::regclass[])`,
    [NAMES],
  );
  return rows[0]!.dead;
}

async function diskOf({ pool }: PostgresDatabase): Promise<number> {
  const { rows } = await pool.query<{ bytes: number }>(
    `SELECT sum(pg_total_relation_size(name::regclass))::float8 AS bytes FROM unnest($1::text[]) AS name`,
    [NAMES],
  );
  return rows[0]!.bytes;
}
