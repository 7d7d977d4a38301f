import type pg from 'pg';
import { ProxyError } from '../../../contract/errors.ts';
import type { PostgresDatabase, SqliteDatabase } from '../../../db/index.ts';
import { LOG_SPAN } from '../../chain/chain.ts';
import type { LogRow } from '../../verify/verification.ts';
import { createBatches } from './move-batch.ts';
import { acquireLock } from '../write/locks.ts';
import { loadBase } from '../write/own-log.ts';
import { connectWriter } from '../write/session.ts';

export interface MoveParts {
  from: SqliteDatabase;
  to: PostgresDatabase;
  /** Entries that are there, of all that are to be there. */
  onProgress: (done: number, total: number) => void;
  signal: AbortSignal;
  /** Entries per transaction, at most. */
  batch?: number;
}

export interface MovedLog {
  log: string;
  /** Entries that this run has moved. */
  moved: number;
  /** It was moved before, and the destination has newer entries. */
  ahead: boolean;
}

/** A log on both sides, and how far it has come on the new one. */
interface Move {
  source: LogRow;
  target: number;
  last: number;
  end: number;
}

/**
 * Moves the logs of an SQLite database, entry by entry and byte for byte, with their records. Each step is one transaction, and goes on
 * from the last entry that is there: so it can be stopped at any moment, and nothing is ever there twice.
 */
export async function moveLogs({ from, to, onProgress, signal, batch }: MoveParts): Promise<MovedLog[]> {
  const client = await connectWriter(to);
  try {
    const logs = from.sqlite.prepare('SELECT * FROM activity_log ORDER BY log').all() as LogRow[];
    const moves: Move[] = [];
    for (const source of logs) moves.push(await prepare(client, from, source));
    refuseBothPlaces(moves);
    await saveSkew(client, from);
    const total = moves.reduce((sum, { source, end }) => sum + end - firstOf(source), 0);
    let done = moves.reduce((sum, { source, last, end }) => sum + Math.min(last, end) - firstOf(source), 0);
    onProgress(done, total);
    const batches = await createBatches({
      client,
      from,
      batch,
      logs: new Map(moves.map((move) => [move.source.log, move.target])),
    });
    for (const move of moves) {
      for (let last = move.last; last < move.end;) {
        signal.throwIfAborted();
        const next = await batches.move(move, last);
        done += next - last;
        last = next;
        onProgress(done, total);
      }
    }
    const moved = moves.map(({ target }) => target);
    await client.query('UPDATE activity_log SET incoming = 0 WHERE log = ANY ($1::int[])', [moved]);
    return moves.map(({ source, last, end }) => ({
      log: source.log_id,
      moved: Math.max(0, end - last),
      ahead: last > end,
    }));
  } finally {
    // A connection that cannot be closed any more is gone already.
    await client.end().catch(() => {});
  }
}

/** True when a log was moved before and the destination has newer entries. The data directory is then ahead of the source database. */
export async function destinationIsAhead(from: SqliteDatabase, { pool }: PostgresDatabase): Promise<boolean> {
  const logs = from.sqlite.prepare('SELECT * FROM activity_log').all() as LogRow[];
  for (const source of logs) {
    const { rows } = await pool.query<{ n: number }>(
      'SELECT max(n) AS n FROM activity_journal JOIN activity_log l USING (log) WHERE l.log_id = $1',
      [source.log_id],
    );
    if ((rows[0]?.n ?? 0) > endOf(from, source)) return true;
  }
  return false;
}

/** Refuses a log that goes on at the source where the destination has other entries, or entries that the source has never had. */
export async function refuseDivergence(from: SqliteDatabase, { pool }: PostgresDatabase): Promise<void> {
  const logs = from.sqlite.prepare('SELECT * FROM activity_log').all() as LogRow[];
  for (const source of logs) {
    const { rows } = await pool.query<{ n: number; hash: string }>(
      'SELECT n, hash FROM activity_journal JOIN activity_log l USING (log) WHERE l.log_id = $1 ORDER BY n DESC LIMIT 1',
      [source.log_id],
    );
    const [there] = rows;
    if (!there || there.n >= endOf(from, source) || there.n <= firstOf(source)) continue;
    if (hashAt(from, source, there.n) !== there.hash)
      throw conflict(source, `went on in both places and differs from entry ${there.n} at the latest`);
  }
}

const firstOf = ({ base }: LogRow) => (base === null ? 0 : (JSON.parse(base) as { n: number }).n);

/** Makes the log on the new side, or finds it there, and holds it: nobody writes to it meanwhile. */
async function prepare(client: pg.Client, from: SqliteDatabase, source: LogRow): Promise<Move> {
  await client.query(
    `INSERT INTO activity_log (log_id, public_key, base, incoming) VALUES ($1, $2, $3, 1) ON CONFLICT (log_id) DO NOTHING`,
    [source.log_id, source.public_key, source.base],
  );
  const { rows } = await client.query<{ log: number; public_key: string }>(
    'SELECT log, public_key FROM activity_log WHERE log_id = $1',
    [source.log_id],
  );
  const { log: target, public_key: key } = rows[0]!;
  if (key !== source.public_key) throw conflict(source, 'exists at the destination, signed by another key');
  if (!(await acquireLock(client, target)))
    throw conflict(source, 'is in use at the destination: stop the mcpproxy that writes to it');
  const last = await lastEntry(client, target);
  const end = endOf(from, source);
  await checkSame(client, from, { source, target, last, end });
  return { source, target, last, end };
}

async function lastEntry(client: pg.Client, log: number): Promise<number> {
  const { rows } = await client.query<{ n: number }>(
    'SELECT n FROM activity_journal WHERE log = $1 ORDER BY n DESC LIMIT 1',
    [log],
  );
  return rows[0]?.n ?? (await loadBase(client, log))?.n ?? 0;
}

function endOf({ sqlite }: SqliteDatabase, { log, base }: LogRow): number {
  const last = sqlite
    .prepare('SELECT pos FROM activity_journal WHERE pos > ? AND pos < ? ORDER BY pos DESC LIMIT 1')
    .get(log * LOG_SPAN, (log + 1) * LOG_SPAN) as { pos: number } | undefined;
  return last ? last.pos - log * LOG_SPAN : base === null ? 0 : (JSON.parse(base) as { n: number }).n;
}

/** A proxy that was started again on the source, behind its checkpoints, has begun a new log there. */
function refuseBothPlaces(moves: readonly Move[]): void {
  for (const { source, last, end } of moves) {
    const isContinued = moves.some(
      (each) =>
        each.source.log > source.log && each.source.public_key === source.public_key && each.last === 0,
    );
    if (last > end && isContinued) throw conflict(source, 'went on in both places, here in a new log');
  }
}

/** Where both sides have entries they must be the same: a log that went on in both places is not put together. */
async function checkSame(
  client: pg.Client,
  from: SqliteDatabase,
  { source, target, last, end }: Move,
): Promise<void> {
  const n = Math.min(last, end);
  const here = hashAt(from, source, n);
  const { rows } = await client.query<{ hash: string }>(
    'SELECT hash FROM activity_journal WHERE log = $1 AND n = $2',
    [target, n],
  );
  if (here && rows[0] && here !== rows[0].hash)
    throw conflict(source, `went on in both places and differs from entry ${n} at the latest`);
}

function hashAt({ sqlite }: SqliteDatabase, { log }: LogRow, n: number): string | undefined {
  const row = sqlite.prepare('SELECT hash FROM activity_journal WHERE pos = ?').get(log * LOG_SPAN + n);
  return (row as { hash: string } | undefined)?.hash;
}

async function saveSkew(client: pg.Client, { sqlite }: SqliteDatabase): Promise<void> {
  const skew = sqlite.prepare(`SELECT value FROM activity_state WHERE key = 'max_skew'`).get() as
    | { value: number }
    | undefined;
  if (!skew) return;
  await client.query(
    `INSERT INTO activity_state (key, value) VALUES ('max_skew', $1)
     ON CONFLICT (key) DO UPDATE SET value = greatest(activity_state.value, excluded.value)`,
    [skew.value],
  );
}

function conflict({ log_id: log }: LogRow, why: string): ProxyError {
  return new ProxyError('CONFLICT', `Log ${log} ${why}`, { log });
}
