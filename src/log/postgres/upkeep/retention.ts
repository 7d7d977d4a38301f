import type pg from 'pg';
import type { Config } from '../../../contract/config.ts';
import type { PostgresDatabase } from '../../../db/index.ts';
import type { Clock } from '../../../lib/clock.ts';
import { type RecordKind, STATE, recordState } from '../../chain/hash-chain.ts';
import { HOUR_MS, MINUTE_MS } from '../../counts/series-window.ts';
import { storeCounts } from '../write/append.ts';
import type { Chains } from '../write/chains.ts';
import { BYTES_SQL, DAY_MS, createDeltas } from '../write/deltas.ts';
import type { WriterFacets } from '../write/facets.ts';
import { RETENTION, releaseLock, acquireLock } from '../write/locks.ts';
import { type LogRef, loadBase } from '../write/own-log.ts';
import type { Writer } from '../write/writer.ts';
import type { StoredStatus } from '../../record/row.ts';
import { firstSeqAt, timeOfSeq } from '../../record/sequence.ts';

const BATCH = 500;
const MB = 1_048_576;
const END = Number.MAX_SAFE_INTEGER;

export interface PgRetentionParts {
  db: PostgresDatabase;
  own: LogRef;
  writer: Writer;
  facets: WriterFacets;
  chains: Chains;
  clock: Clock;
  settings: () => Config['activity'];
}

interface Lead extends LogRef {
  /** The record that the first entry of the log is about. */
  seq: number;
}

/**
 * Removes the oldest entries of the chains, with the records that end in them, when they are too old, too many or too large. One proxy at
 * a time does it for all writers, oldest entries first. A signed statement replaces the removed beginning of each chain.
 */
export function createPgRetention(parts: PgRetentionParts): (signal: AbortSignal) => Promise<number> {
  const { db, clock, settings } = parts;
  const removeSome = createRemoval(parts);

  async function sweep(signal: AbortSignal): Promise<number> {
    const tooOld = firstSeqAt(clock.now() - settings().retention_days * DAY_MS);
    let removed = 0;
    const remove = async (lead: Lead, before: number, most: number): Promise<number> => {
      if (signal.aborted) return 0;
      const { entries, records } = await removeSome(lead, { before, most });
      removed += records;
      return entries;
    };
    for (const lead of await leads(db)) while ((await remove(lead, tooOld, BATCH)) > 0);
    /** From the log with the oldest records, up to where the next one begins; from that one where the first waits for it. */
    const removeOldest = async (most: number): Promise<boolean> => {
      const logs = await leads(db);
      for (const [index, lead] of logs.entries()) {
        const next = logs[index + 1];
        if ((await remove(lead, next ? Math.max(next.seq, lead.seq + 1) : END, most)) > 0) return true;
      }
      return false;
    };
    for (let left = await excess(); left > 0; left = await excess()) if (!(await removeOldest(left))) break;
    if (removed > 0) await dropCounts(db);
    return removed;
  }

  /** Number of records beyond the limits. */
  async function excess(): Promise<number> {
    const { max_records: maxRecords, max_size_mb: maxMb } = settings();
    const { rows } = await db.pool.query<{ records: number; bytes: number }>(
      `WITH counted AS (SELECT log FROM activity_log WHERE incoming = 0)
       SELECT coalesce((SELECT sum(n) FROM activity_count_all JOIN counted USING (log)), 0) AS records,
              coalesce((SELECT sum(bytes) FROM activity_size JOIN counted USING (log)), 0) AS bytes`,
    );
    const { records, bytes } = rows[0]!;
    const perRecord = Math.max(1, bytes / Math.max(1, records));
    const tooLarge = Math.ceil(Math.max(0, bytes - maxMb * MB) / perRecord);
    return Math.min(records, Math.max(records - maxRecords, tooLarge));
  }

  return async (signal) => {
    const client = await db.pool.connect();
    let broken = true;
    try {
      const ours = await acquireLock(client, RETENTION);
      const removed = ours ? await sweep(signal) : 0;
      if (ours) await releaseLock(client, RETENTION);
      broken = false;
      return removed;
    } finally {
      // A connection that still holds the lock must not go back to the others.
      client.release(broken);
    }
  };
}

/** The logs that hold records, those with the oldest first. */
async function leads(db: PostgresDatabase): Promise<Lead[]> {
  const { rows } = await db.pool.query<{ log: number; log_id: string; seq: number | null }>(
    `SELECT log, log_id, (SELECT seq FROM activity_journal j WHERE j.log = l.log AND seq IS NOT NULL ORDER BY n LIMIT 1) AS seq
     FROM activity_log l WHERE incoming = 0`,
  );
  const found = rows.flatMap(({ log, log_id: logId, seq }) => (seq === null ? [] : [{ log, logId, seq }]));
  return found.sort((a, b) => a.seq - b.seq);
}

type RemoveSome = (log: LogRef, limits: RemovalLimits) => Promise<{ entries: number; records: number }>;

function createRemoval({ own, writer, facets, chains }: PgRetentionParts): RemoveSome {
  async function find(client: pg.Client, log: LogRef, limits: RemovalLimits): Promise<DroppedRange | null> {
    const { rows } = await client.query<Leading>(LEADING, [log.log, BATCH]);
    return leadingRange(await withoutUntold(client, rows), limits);
  }

  async function removeRows(client: pg.Client, { log }: LogRef, { rows, last }: DroppedRange): Promise<void> {
    const places = JSON.stringify(rows.map(({ seq, of_log: of }) => ({ seq, log: of ?? log })));
    for (const table of ['activity', 'activity_text'])
      await client.query(
        `DELETE FROM ${table} WHERE (seq, log) IN (SELECT seq, log FROM json_to_recordset($1::json) AS d (seq BIGINT, log INTEGER))`,
        [places],
      );
    await client.query('DELETE FROM activity_journal WHERE log = $1 AND n <= $2', [log, last.n]);
    const deltas = createDeltas();
    for (const { ts, facet_id: id, bytes } of rows) {
      deltas.move(ts, (await facets.get(client, id)) ?? null, null);
      deltas.grow(-bytes);
    }
    await storeCounts(client, own.log, deltas);
  }

  return (log, limits) =>
    writer.write(async (client) => {
      const range = await find(client, log, limits);
      if (!range) return { entries: 0, records: 0 };
      await removeRows(client, log, range);
      const base = await loadBase(client, log.log);
      const stone = await chains.append(client, log, (links) =>
        links.dropped({
          log: log.logId,
          n: range.last.n,
          head: range.last.hash,
          records: range.rows.length + (base?.records ?? 0),
          from: base?.from ?? range.from,
          until: range.until,
        }),
      );
      await client.query('UPDATE activity_log SET base = $2 WHERE log = $1', [
        log.log,
        JSON.stringify(stone),
      ]);
      return { entries: range.entries, records: range.rows.length };
    });
}

/**
 * A log that was moved here may end records of an older one. They go once the older one does not tell of them any more, so nothing is
 * dropped from such an entry on before that.
 */
async function withoutUntold(client: pg.Client, rows: readonly Leading[]): Promise<readonly Leading[]> {
  const other = rows.filter(({ of_log: of, facet_id: id }) => of !== null && id !== null);
  if (other.length === 0) return rows;
  const { rows: told } = await client.query<{ seq: number }>(
    'SELECT seq FROM activity_journal WHERE log = ANY ($1::int[]) AND seq = ANY ($2::bigint[])',
    [other.map((row) => row.of_log), other.map(({ seq }) => seq)],
  );
  const first = rows.findIndex((row) => row.of_log !== null && told.some(({ seq }) => seq === row.seq));
  return first < 0 ? rows : rows.slice(0, first);
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

/** An entry at the beginning of a chain, with its record. */
export interface Leading {
  n: number;
  seq: number | null;
  /** The log of the record, where it is another. */
  of_log: number | null;
  entry: string;
  hash: string;
  facet_id: number | null;
  status: StoredStatus | null;
  ts: number;
  salt: string | null;
  duration_ms: number | null;
  bytes: number;
}

/** Parameters: log, how many. */
export const LEADING = `
  SELECT j.n, j.seq, j.of_log, j.entry, j.hash, a.facet_id, f.status, a.ts, a.salt, a.duration_ms, ${BYTES_SQL} AS bytes
  FROM activity_journal j LEFT JOIN activity a ON a.seq = j.seq AND a.log = coalesce(j.of_log, j.log) LEFT JOIN activity_facet f ON f.id = a.facet_id
  WHERE j.log = $1 ORDER BY j.n LIMIT $2`;

/** The beginning of a chain that is to be dropped. */
export interface DroppedRange {
  entries: number;
  last: Leading;
  /** Records whose last entry is in the range. */
  rows: Array<{ seq: number; of_log: number | null; ts: number; facet_id: number; bytes: number }>;
  from: number;
  until: number;
}

/** Only records older than `before`, and at most `most` of them. */
export interface RemovalLimits {
  before: number;
  most: number;
}

/** The longest beginning whose records are older than `before`, with at most `most` records that end in it. */
export function leadingRange(
  items: readonly Leading[],
  { before, most }: RemovalLimits,
): DroppedRange | null {
  let range: DroppedRange | undefined;
  for (const [index, item] of items.entries()) {
    if (range && range.rows.length >= most) break;
    if (item.seq === null) continue; // goes with the next record, if there is one
    if (item.seq >= before) break;
    const { k, t } = JSON.parse(item.entry) as { k: RecordKind; t: number };
    range = { rows: [], from: t, ...range, entries: index + 1, last: item, until: t };
    if (endsWith(item, k)) range.rows.push({ ...item, seq: item.seq, facet_id: item.facet_id! });
  }
  return range ?? null;
}

/** Whether nothing comes after this entry that is about the same record. */
function endsWith({ facet_id: id, status, salt, duration_ms: duration }: Leading, kind: RecordKind): boolean {
  if (id === null || STATE[kind] !== recordState({ salt }, status ?? '')) return false;
  // One that was recovered has no duration; where it has, its end came later.
  return kind !== 'recovered' || duration === null;
}
