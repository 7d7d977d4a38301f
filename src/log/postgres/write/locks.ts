import type pg from 'pg';

/**
 * Advisory locks of the activity log: the first number says that they are ours, the second what is locked. A log's own number: its writer
 * lives, or somebody is busy with what it left behind. Zero, which no log has: retention runs.
 */
const OURS = 0x6d_63_70_72;
export const RETENTION = 0;

type Queryable = Pick<pg.ClientBase, 'query'>;

/** Until the connection ends. */
export const acquireLock = (client: Queryable, what: number) => locked(client, 'pg_try_advisory_lock', what);

/** Until the transaction ends. */
export const acquireTransactionLock = (client: Queryable, what: number) =>
  locked(client, 'pg_try_advisory_xact_lock', what);

async function locked(client: Queryable, call: string, what: number): Promise<boolean> {
  const { rows } = await client.query<{ got: boolean }>(`SELECT ${call}($1, $2) AS got`, [OURS, what]);
  return rows[0]!.got;
}

/** The connections that hold locks of ours, by what they lock. */
export async function lockHolders(client: Queryable): Promise<Map<number, number>> {
  const { rows } = await client.query<{ what: number; pid: number }>(
    `SELECT objid::int AS what, pid FROM pg_locks
     WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND classid = $1::bigint::oid
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    [OURS],
  );
  return new Map(rows.map(({ what, pid }) => [what, pid]));
}
