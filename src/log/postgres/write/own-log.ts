import type pg from 'pg';
import { newId } from '../../../lib/clock.ts';
import { type ChainHead, type Tombstone, firstHash } from '../../chain/hash-chain.ts';
import type { Signer } from '../../chain/signer.ts';
import { acquireLock } from './locks.ts';

export interface LogRef {
  log: number;
  logId: string;
}

const PATIENCE_MS = 1_000;
const PAUSE_MS = 50;

/**
 * The log that this key signs and that nobody writes to; else a new one. A copy of the data directory that runs elsewhere, or a server
 * that has not noticed yet that our last process is gone, keeps its log for itself; one that ends before its checkpoint is not continued. On return the connection holds the lock of the log.
 */
export async function openOwnLog(
  client: pg.Client,
  signer: Signer,
  ended: ReadonlySet<string>,
): Promise<LogRef> {
  const found = await client.query<{ log: number; log_id: string }>(
    'SELECT log, log_id FROM activity_log WHERE public_key = $1 AND incoming = 0 ORDER BY log DESC',
    [signer.publicKey],
  );
  const rows = found.rows.filter(({ log_id: id }) => !ended.has(id));
  const end = performance.now() + PATIENCE_MS;
  while (rows.length > 0) {
    for (const { log, log_id: logId } of rows) if (await acquireLock(client, log)) return { log, logId };
    if (performance.now() > end) break;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return newLog(client, signer);
}

async function newLog(client: pg.Client, signer: Signer): Promise<LogRef> {
  const logId = newId();
  const { rows } = await client.query<{ log: number }>(
    'INSERT INTO activity_log (log_id, public_key) VALUES ($1, $2) RETURNING log',
    [logId, signer.publicKey],
  );
  const { log } = rows[0]!;
  if (!(await acquireLock(client, log))) throw new Error(`log ${log} was taken by another connection`);
  return { log, logId };
}

type Queryable = Pick<pg.ClientBase, 'query'>;

/** Where the chain of a log ends, as the server has it. */
export async function loadHead(client: Queryable, { log, logId }: LogRef): Promise<ChainHead> {
  const { rows } = await client.query<{ n: number; entry: string; hash: string }>(
    'SELECT n, entry, hash FROM activity_journal WHERE log = $1 ORDER BY n DESC LIMIT 1',
    [log],
  );
  const last = rows[0];
  if (last) {
    const isSigned = last.entry.includes('"k":"checkpoint"');
    return { n: last.n, hash: last.hash, unsigned: isSigned ? 0 : 1 };
  }
  const base = await loadBase(client, log);
  return { n: base?.n ?? 0, hash: base?.head ?? firstHash(logId), unsigned: 0 };
}

export async function loadBase(client: Queryable, log: number): Promise<Tombstone | null> {
  const { rows } = await client.query<{ base: string | null }>(
    'SELECT base FROM activity_log WHERE log = $1',
    [log],
  );
  const text = rows[0]?.base ?? null;
  return text === null ? null : (JSON.parse(text) as Tombstone);
}

/** More than are open at the same time; what was opened last is among the last that was told of. */
const LOOK_BACK = 20_000;

/** Numbers of records go on from here. */
export async function loadSequence(
  client: Queryable,
  log: number,
): Promise<{ last: number; maxSkew: number }> {
  const { rows } = await client.query<{ last: number | null; skew: number | null }>(
    `SELECT (SELECT max(seq) FROM (
         SELECT seq FROM activity_journal WHERE log = $1 ORDER BY n DESC LIMIT ${LOOK_BACK}) AS newest) AS last,
       (SELECT value FROM activity_state WHERE key = 'max_skew') AS skew`,
    [log],
  );
  return { last: rows[0]?.last ?? 0, maxSkew: rows[0]?.skew ?? 0 };
}
