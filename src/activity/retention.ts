import type { Config } from '../contract/config.ts';
import type { Database } from '../db/database.ts';
import type { Clock } from '../lib/clock.ts';
import type { Counts } from './counts.ts';
import type { Facets } from './facets.ts';
import type { ActivityRow } from './row.ts';
import { firstSeqAt } from './sequence.ts';

const BATCH = 200;
const DAY_MS = 86_400_000;
const VACUUM_PAGES = 256;
const MB = 1_048_576;

export interface RetentionParts {
  db: Database;
  facets: Facets;
  counts: Counts;
  clock: Clock;
  settings: () => Config['activity'];
}

/** Deletes the oldest records that are too old, too many or take too much room: a few at a time, others get their turn between. */
export function createRetention({
  db,
  facets,
  counts,
  clock,
  settings,
}: RetentionParts): (signal: AbortSignal) => Promise<number> {
  const sql = {
    oldest: db.sqlite.prepare('SELECT seq, facet_id FROM activity WHERE seq < ? ORDER BY seq LIMIT ?'),
    remove: db.sqlite.prepare('DELETE FROM activity WHERE seq <= ?'),
    removeWords: db.sqlite.prepare('DELETE FROM activity_text WHERE rowid = ?'),
    removeChanged: db.sqlite.prepare('DELETE FROM activity_reindex WHERE seq <= ?'),
    next: db.sqlite.prepare('SELECT min(seq) AS seq FROM activity'),
    size: db.sqlite.prepare(
      'SELECT (page_count - freelist_count) * page_size AS bytes FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()',
    ),
  };

  function removeSome(before: number, limit: number): number {
    const rows = sql.oldest.all(before, limit) as Array<Pick<ActivityRow, 'seq' | 'facet_id'>>;
    const last = rows.at(-1);
    if (!last) return 0;
    for (const row of rows) sql.removeWords.run(row.seq);
    sql.removeChanged.run(last.seq);
    sql.remove.run(last.seq);
    // Last, as counts in memory do not know of a write that failed halfway.
    for (const row of rows) counts.move(row.seq, facets.get(row.facet_id) ?? null, null);
    const { seq } = sql.next.get() as { seq: number | null };
    if (seq !== null) counts.dropBucketsBefore(seq);
    return rows.length;
  }

  const bytes = () => (sql.size.get() as { bytes: number }).bytes;
  const records = () => [...facets.all()].reduce((n, facet) => n + facet.n, 0);

  /** How many records the limits leave too many, as far as they can be counted. */
  function excess(): number {
    const { max_records: maxRecords, max_size_mb: maxMb } = settings();
    const now = records();
    const perRecord = bytes() / Math.max(1, now);
    const tooLarge = Math.ceil(Math.max(0, bytes() - maxMb * MB) / Math.max(1, perRecord));
    return Math.min(now, Math.max(now - maxRecords, tooLarge));
  }

  return async (signal) => {
    const tooOld = firstSeqAt(clock.now() - settings().retention_days * DAY_MS);
    let removed = 0;
    const remove = async (before: number, most: number): Promise<number> => {
      const n = signal.aborted ? 0 : await db.write(() => removeSome(before, Math.min(BATCH, most)));
      removed += n;
      await new Promise(setImmediate);
      return n;
    };
    while ((await remove(tooOld, BATCH)) === BATCH);
    for (let left = excess(); left > 0; left = excess())
      if ((await remove(Number.MAX_SAFE_INTEGER, left)) === 0) break;
    // Given back to the file system in steps, as each holds the event loop.
    if (removed === 0) return 0;
    while (!signal.aborted && freePages(db) > 0) {
      db.sqlite.exec(`PRAGMA incremental_vacuum(${VACUUM_PAGES})`);
      await new Promise(setImmediate);
    }
    return removed;
  };
}

function freePages(db: Database): number {
  return (db.sqlite.prepare('PRAGMA freelist_count').get() as { freelist_count: number }).freelist_count;
}
