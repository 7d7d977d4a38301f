import type { Config } from '../../contract/config.ts';
import type { Sqlite, SqliteDatabase } from '../../db/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { type Chain, LOG_SPAN } from '../chain/chain.ts';
import { type RecordKind, STATE, recordState } from '../chain/hash-chain.ts';
import type { Counts } from '../counts/counts.ts';
import type { Facets } from '../counts/facets.ts';
import type { TextIndex } from '../query/text-index.ts';
import { firstSeqAt } from '../record/sequence.ts';

const BATCH = 200;
const DAY_MS = 86_400_000;
const VACUUM_PAGES = 256;
const MB = 1_048_576;

export interface RetentionParts {
  db: SqliteDatabase;
  facets: Facets;
  counts: Counts;
  chain: Chain;
  clock: Clock;
  settings: () => Config['activity'];
}

/** An entry at the beginning of the chain, with its record. */
interface Leading {
  pos: number;
  seq: number | null;
  entry: string;
  hash: string;
  facet_id: number | null;
  ts: number | null;
  salt: string | null;
}

interface DroppedRange {
  entries: number;
  last: Leading;
  /** Records whose last entry is in the range. */
  rows: Array<{ seq: number; ts: number; facet_id: number }>;
  from: number;
  until: number;
}

/**
 * Drops the beginning of the chain, with the records that end in it, if they are too old, too many or too large: a few at a
 * time, so that other work runs in between. A signed tombstone replaces them, so the rest can still be verified.
 */
export function createRetention(parts: RetentionParts): (signal: AbortSignal) => Promise<number> {
  const { db, facets, counts, chain, clock, settings } = parts;
  const sql = prepare(db.sqlite);

  /** Whether the record has no later entry. */
  function isLastEntry(item: Leading, kind: RecordKind): boolean {
    if (item.facet_id === null) return false;
    const status = facets.get(item.facet_id)?.status ?? '';
    return STATE[kind] === recordState(item, status);
  }

  /** The longest beginning whose records are older than `before`, with at most `most` records that end in it. */
  function leading(before: number, most: number): DroppedRange | null {
    const range: DroppedRange = { entries: 0, last: undefined!, rows: [], from: 0, until: 0 };
    const items = sql.leading.all(BATCH) as Leading[];
    const ofLog = items.filter(({ pos }) => logOf(pos) === logOf(items[0]!.pos));
    const past = ofLog.findIndex(({ seq }) => seq !== null && seq >= before);
    const old = past < 0 ? ofLog : ofLog.slice(0, past);
    let taken = 0;
    for (const item of old) {
      if (range.rows.length >= most) return orNull(range);
      taken++;
      if (item.seq === null) continue; // goes with the next record, if there is one
      const kind = extend(range, taken, item);
      if (isLastEntry(item, kind)) range.rows.push({ seq: item.seq, ts: item.ts!, facet_id: item.facet_id! });
    }
    // The end of a log that nobody continues: statements at its end go too.
    const isFollowed = ofLog.length < items.length;
    if (isFollowed && past < 0 && taken > range.entries) extend(range, taken, ofLog.at(-1)!);
    return orNull(range);
  }
  function removeSome(before: number, most: number): { entries: number; rows: number } {
    const range = leading(before, most);
    if (!range) return { entries: 0, rows: 0 };
    const { rows, last, from, until, entries } = range;
    for (const { seq } of rows) {
      sql.removeWords.run(seq);
      sql.removeChanged.run(seq);
      sql.remove.run(seq);
    }
    sql.removeEntries.run(last.pos);
    // Last: counts and chain in memory cannot undo a part of a write.
    for (const row of rows) counts.move(row, facets.get(row.facet_id) ?? null, null);
    const { seq } = sql.next.get() as { seq: number | null };
    if (seq !== null) counts.dropBucketsBefore(seq);
    chain.drop({ pos: last.pos, hash: last.hash, records: rows.length, from, until });
    return { entries, rows: rows.length };
  }

  const bytes = () => (sql.size.get() as { bytes: number }).bytes;

  /** Number of records beyond the limits. */
  function excess(): number {
    const { max_records: maxRecords, max_size_mb: maxMb } = settings();
    const now = counts.records();
    const perRecord = bytes() / Math.max(1, now);
    const tooLarge = Math.ceil(Math.max(0, bytes() - maxMb * MB) / Math.max(1, perRecord));
    return Math.min(now, Math.max(now - maxRecords, tooLarge));
  }

  return async (signal) => {
    const tooOld = firstSeqAt(clock.now() - settings().retention_days * DAY_MS);
    let removed = 0;
    const remove = async (before: number, most: number): Promise<number> => {
      if (signal.aborted) return 0;
      const { entries, rows } = await db.write(() => removeSome(before, most));
      removed += rows;
      await new Promise(setImmediate);
      return entries;
    };
    while ((await remove(tooOld, BATCH)) > 0);
    for (let left = excess(); left > 0; left = excess())
      if ((await remove(Number.MAX_SAFE_INTEGER, left)) === 0) break;
    // Free pages are released in steps, because each blocks the event loop.
    if (removed === 0) return 0;
    while (!signal.aborted && freePages(db) > 0) {
      db.sqlite.exec(`PRAGMA incremental_vacuum(${VACUUM_PAGES})`);
      await new Promise(setImmediate);
    }
    return removed;
  };
}

const logOf = (pos: number) => Math.floor(pos / LOG_SPAN);

const orNull = (range: DroppedRange) => (range.entries === 0 ? null : range);

/** Extends the range to this entry. Returns its kind. */
function extend(range: DroppedRange, entries: number, last: Leading): RecordKind {
  const { k, t } = JSON.parse(last.entry) as { k: RecordKind; t: number };
  if (range.entries === 0) range.from = t;
  Object.assign(range, { entries, last, until: t });
  return k;
}

function prepare(sqlite: Sqlite) {
  return {
    leading: sqlite.prepare(`
      SELECT j.pos, j.seq, j.entry, j.hash, a.facet_id, a.ts, a.salt
      FROM activity_journal j LEFT JOIN activity a ON a.seq = j.seq ORDER BY j.pos LIMIT ?`),
    remove: sqlite.prepare('DELETE FROM activity WHERE seq = ?'),
    removeWords: sqlite.prepare('DELETE FROM activity_text WHERE rowid = ?'),
    removeChanged: sqlite.prepare('DELETE FROM activity_reindex WHERE seq = ?'),
    removeEntries: sqlite.prepare('DELETE FROM activity_journal WHERE pos <= ?'),
    next: sqlite.prepare('SELECT min(seq) AS seq FROM activity'),
    size: sqlite.prepare(
      'SELECT (page_count - freelist_count) * page_size AS bytes FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()',
    ),
  };
}

function freePages(db: SqliteDatabase): number {
  return (db.sqlite.prepare('PRAGMA freelist_count').get() as { freelist_count: number }).freelist_count;
}

const SWEEP_MS = 600_000;
const CHECKPOINT_MS = 60_000;

interface UpkeepParts {
  db: SqliteDatabase;
  settings: () => Config['activity'];
  clock: Clock;
  log: Log;
}

export interface Upkeep {
  sweep(): Promise<number>;
  stop(): Promise<void>;
}

/** Runs retention at the start and every ten minutes, and adds a checkpoint every minute if the log has grown. */
export function startUpkeep(
  parts: UpkeepParts,
  shared: { facets: Facets; counts: Counts; chain: Chain; index: TextIndex },
): Upkeep {
  const retain = createRetention({ ...parts, ...shared });
  const ended = new AbortController();
  let running: Promise<number> | undefined;
  const sweep = () => (running ??= retain(ended.signal).finally(() => (running = undefined)));
  const background = () => {
    shared.index.schedule();
    sweep().catch((error: unknown) => parts.log.warn({ err: error }, 'old records could not be removed'));
  };
  const timer = setInterval(background, SWEEP_MS).unref();
  const sign = () => void parts.db.write(() => shared.chain.checkpoint()).catch(() => {}); // the next checkpoint covers this one
  const signing = setInterval(sign, CHECKPOINT_MS).unref();
  background();
  return {
    sweep,
    async stop() {
      clearInterval(timer);
      clearInterval(signing);
      ended.abort();
      // The run reports its error; the stop only waits for its end.
      await running?.catch(() => {});
    },
  };
}
