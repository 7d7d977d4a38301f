import type { Config } from '../../../contract/config.ts';
import type { PostgresDatabase } from '../../../db/index.ts';
import type { Clock } from '../../../lib/clock.ts';
import { HOUR_MS, MINUTE_MS } from '../../counts/series-window.ts';
import { DAY_MS } from '../write/deltas.ts';
import { RETENTION, acquireLock } from '../write/locks.ts';
import type { LogRef } from '../write/own-log.ts';
import type { FacetKey } from '../../record/row.ts';
import { firstSeqAt, timeOfSeq } from '../../record/sequence.ts';
import { EXPIRED } from '../../retention/kept.ts';
import {
  type Excess,
  type Selection,
  excessOf,
  isPastFloor,
  isWorthwhile,
  rankOf,
  recordsIn,
  selections,
} from '../../retention/rank.ts';
import { createFreeDisk } from './free-disk.ts';
import type { RemovalLimits } from './leading.ts';
import { createPgRedact } from './redact.ts';
import { BATCH, createRemoval, type RemovalParts } from './remove.ts';

const END = Number.MAX_SAFE_INTEGER;

export interface PgRetentionParts extends RemovalParts {
  db: PostgresDatabase;
  clock: Clock;
  settings: () => Config['activity'];
}

export interface PgRetention {
  /** Drops what is too old, too many or too large. Returns the number of records. */
  run(signal: AbortSignal): Promise<number>;
  /** What is over the limits and may not go yet. */
  excess(): Promise<Excess>;
}

interface Lead extends LogRef {
  /** When the first entry about a record was written. */
  time: number;
  /** The number of the last entry. */
  end: number;
}

/**
 * Removes the oldest entries of the chains, with the records that end in them, when they are too old, too many or too large. One proxy at
 * a time does it for all writers, oldest entries first. A signed statement replaces the removed beginning of each chain.
 */
export function createPgRetention(parts: PgRetentionParts): PgRetention {
  const { db, clock, settings } = parts;
  const removeSome = createRemoval(parts);
  const redact = createPgRedact(parts);
  const freeDisk = createFreeDisk(db);

  async function sweep(signal: AbortSignal): Promise<number> {
    const tooOld = firstSeqAt(clock.now() - settings().retention_days * DAY_MS);
    let removed = 0;
    const remove = async (lead: Lead, limits: RemovalLimits): Promise<number> => {
      if (signal.aborted) return 0;
      const { entries, records } = await removeSome(lead, limits);
      removed += records;
      return entries;
    };
    const aged = { before: tooOld, beforeTime: END, upTo: END, most: BATCH };
    for (const lead of await leads(db)) while ((await remove(lead, aged)) > 0);
    for (const record of await expired(db, tooOld)) if (!signal.aborted) await redact(record, EXPIRED);
    for (const selection of selections(settings(), clock.now())) {
      const size = await sizeOf(db);
      // What is appended meanwhile was kept in this pass.
      const ends = new Map((await leads(db)).map(({ log, end }) => [log, end]));
      await shrink(selection, size, (lead, next, most) =>
        remove(lead, {
          before: END,
          beforeTime: next ? Math.max(next.time, lead.time + 1) : END,
          upTo: ends.get(lead.log) ?? 0,
          most,
          selection,
        }),
      );
    }
    if (removed > 0) await dropCounts(db);
    if (!signal.aborted) await freeDisk((await sizeOf(db)).bytes, signal);
    return removed;
  }

  /** Removes from the log with the oldest entries, up to where the next one begins; from that one where the first waits for it. */
  async function shrink(
    selection: Selection,
    start: LogSize,
    remove: (lead: Lead, next: Lead | undefined, most: number) => Promise<number>,
  ): Promise<void> {
    const removeOldest = async (most: number): Promise<boolean> => {
      const logs = await leads(db);
      for (const [index, lead] of logs.entries())
        if ((await remove(lead, logs[index + 1], most)) > 0) return true;
      return false;
    };
    for (let size = start; ; size = await sizeOf(db)) {
      const left = recordsIn(excessOf(settings(), size), size);
      if (left === 0 || !isWorthwhile(droppable(size, selection, clock.now()), size.records)) return;
      if (!(await removeOldest(left))) return;
    }
  }

  async function run(signal: AbortSignal): Promise<number> {
    // Of its own: the lock is held as long as its session lasts.
    const client = db.newClient();
    client.on('error', () => {});
    try {
      await client.connect();
      return (await acquireLock(client, RETENTION)) ? await sweep(signal) : 0;
    } finally {
      await client.end().catch(() => {});
    }
  }

  return { run, excess: async () => excessOf(settings(), await sizeOf(db)) };
}

interface LogSize {
  records: number;
  bytes: number;
  /** Records by kind. */
  kinds: ReadonlyArray<Pick<FacetKey, 'type' | 'status' | 'operation_type'> & { n: number }>;
  oldest: number | null;
}

async function sizeOf({ pool }: PostgresDatabase): Promise<LogSize> {
  const kinds = await pool.query<LogSize['kinds'][number]>(
    `SELECT type, status, operation_type, sum(n)::float8 AS n FROM activity_count_all JOIN activity_log USING (log)
     JOIN activity_facet f ON f.id = facet_id WHERE incoming = 0 GROUP BY type, status, operation_type`,
  );
  const { rows } = await pool.query<{ bytes: number; oldest: number | null }>(
    `SELECT coalesce((SELECT sum(bytes) FROM activity_size JOIN activity_log USING (log) WHERE incoming = 0), 0) AS bytes,
            (SELECT min(seq) FROM activity) AS oldest`,
  );
  const records = kinds.rows.reduce((sum, { n }) => sum + n, 0);
  return { records, bytes: rows[0]!.bytes, kinds: kinds.rows, oldest: rows[0]!.oldest };
}

/** About how many records a pass would drop. */
function droppable({ records, kinds, oldest }: LogSize, selection: Selection, now: number): number {
  if (isPastFloor(oldest, selection, now)) return records;
  return kinds.reduce((sum, kind) => (rankOf(kind) <= selection.rank ? sum + kind.n : sum), 0);
}

/** Records that are too old, but behind newer ones in their chain. */
async function expired(
  { pool }: PostgresDatabase,
  before: number,
): Promise<Array<{ seq: number; id: string }>> {
  const { rows } = await pool.query<{ seq: number; id: string }>(
    `SELECT a.seq, a.id FROM activity a JOIN activity_facet f ON f.id = a.facet_id JOIN activity_log l ON l.log = a.log
     WHERE a.seq < $1 AND a.salt IS NOT NULL AND f.status <> 'pending' AND l.incoming = 0 ORDER BY a.seq LIMIT 1000`,
    [before],
  );
  return rows;
}

/** The logs that hold records, those with the oldest first. */
async function leads(db: PostgresDatabase): Promise<Lead[]> {
  const { rows } = await db.pool.query<{ log: number; log_id: string; entry: string | null; n: number }>(
    `SELECT log, log_id, (SELECT max(n) FROM activity_journal j WHERE j.log = l.log) AS n,
       (SELECT entry FROM activity_journal j WHERE j.log = l.log AND seq IS NOT NULL ORDER BY n LIMIT 1) AS entry
     FROM activity_log l WHERE incoming = 0`,
  );
  const found = rows.flatMap(({ log, log_id: logId, entry, n: end }) =>
    entry === null ? [] : [{ log, logId, end, time: (JSON.parse(entry) as { t: number }).t }],
  );
  return found.sort((a, b) => a.time - b.time);
}

/** Counts of times from which nothing is left. */
async function dropCounts({ pool }: PostgresDatabase): Promise<void> {
  const { rows } = await pool.query<{ seq: number; skew: number }>(
    `SELECT seq, coalesce((SELECT value FROM activity_state WHERE key = 'max_skew'), 0) AS skew FROM activity ORDER BY seq LIMIT 1`,
  );
  if (!rows[0]) return;
  const oldest = timeOfSeq(rows[0].seq) - rows[0].skew;
  const drop = (what: string, unitMs: number) =>
    pool.query(`DELETE FROM ${what} < $1`, [Math.floor(oldest / unitMs)]);
  await drop('activity_minute WHERE at', MINUTE_MS);
  await drop('activity_hour WHERE at', HOUR_MS);
  await drop('activity_count_hour WHERE bucket', HOUR_MS);
  await drop('activity_count_day WHERE bucket', DAY_MS);
}
