import type { Config } from '../../contract/config.ts';
import type { Sqlite, SqliteDatabase } from '../../db/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Chain } from '../chain/chain.ts';
import { createRedact } from '../chain/redact.ts';
import type { Counts } from '../counts/counts.ts';
import type { Facets } from '../counts/facets.ts';
import type { ActivityRow } from '../record/row.ts';
import { firstSeqAt } from '../record/sequence.ts';
import { type DroppedRange, type Leading, type RangeLimits, leadingRange } from './leading.ts';
import {
  CHANGED_SQL,
  type Excess,
  type Selection,
  excessOf,
  isPastFloor,
  isWorthwhile,
  rankOf,
  recordsIn,
  selections,
} from './rank.ts';
import { EXPIRED, confirmed, keptAs } from './kept.ts';

const BATCH = 200;
const DAY_MS = 86_400_000;
const VACUUM_PAGES = 256;

export interface RetentionParts {
  db: SqliteDatabase;
  facets: Facets;
  counts: Counts;
  chain: Chain;
  clock: Clock;
  settings: () => Config['activity'];
  /** Resolves when nobody verifies the log: what goes meanwhile would make the verification begin again. */
  verified: () => Promise<void>;
}

export interface Retention {
  /** Drops what is too old, too many or too large. Returns the number of records. */
  run(signal: AbortSignal): Promise<number>;
  /** What is over the limits and may not go yet. */
  excess(): Excess;
}

/**
 * Drops the beginning of the chain, with the records that end in it, if they are too old, too many or too large: a few at a
 * time, so that other work runs in between. A signed tombstone replaces them, so the rest can still be verified.
 *
 * Where the log is too large, reads go first. A record that is kept although the beginning of the chain goes is compared with its entry
 * there and gets a new entry at the end: the chain confirms it as before.
 */
export function createRetention(parts: RetentionParts): Retention {
  const { db, facets, counts, chain, clock, settings } = parts;
  const sql = prepare(db.sqlite);
  const redact = createRedact(parts);

  function removeSome(limits: RangeLimits): { entries: number; rows: number } {
    const items = sql.leading.all(limits.upTo, BATCH) as Leading[];
    const range = leadingRange(items, { ...limits, isFull: items.length === BATCH }, (id) => facets.get(id));
    if (!range) return { entries: 0, rows: 0 };
    const kept = keptRows(range, items);
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
    for (const { row, facet } of kept) chain.append(keptAs(row, facet.status), row, facet);
    chain.drop({ pos: last.pos, hash: last.hash, records: rows.length, from, until });
    return { entries, rows: rows.length };
  }

  /** The records that stay, after a comparison with the entries that go. */
  function keptRows({ kept, entries, last }: DroppedRange, items: readonly Leading[]) {
    if (kept.length === 0) return [];
    const rows = kept.map(({ item }) => ({
      row: sql.find.get(item.seq) as ActivityRow,
      facet: facets.get(item.facet_id!)!,
      entry: item.entry,
    }));
    confirmed(chain.startOf(last.pos), items.slice(0, entries), rows);
    return rows;
  }

  const size = () => ({
    records: counts.records(),
    bytes: (sql.size.get() as { bytes: number }).bytes,
  });
  const excess = () => excessOf(settings(), size());

  /** About how many records a pass would drop. */
  function droppable(selection: Selection): number {
    const { seq } = sql.next.get() as { seq: number | null };
    if (isPastFloor(seq, selection, clock.now())) return counts.records();
    let total = 0;
    for (const facet of facets.all()) if (rankOf(facet) <= selection.rank) total += facet.n;
    return total;
  }

  return {
    excess,
    async run(signal) {
      const tooOld = firstSeqAt(clock.now() - settings().retention_days * DAY_MS);
      let removed = 0;
      const remove = async (limits: RangeLimits): Promise<number> => {
        await parts.verified();
        if (signal.aborted) return 0;
        const { entries, rows } = await db.write(() => removeSome(limits));
        removed += rows;
        await new Promise(setImmediate);
        return entries;
      };
      const all = Number.MAX_SAFE_INTEGER;
      while ((await remove({ before: tooOld, most: BATCH, upTo: all })) > 0);
      for (const { seq } of sql.expired.all(tooOld) as Array<{ seq: number }>)
        if (!signal.aborted) await redact(seq, EXPIRED);
      for (const selection of selections(settings(), clock.now())) {
        // What is appended meanwhile was kept in this pass.
        const upTo = chain.end();
        for (let left = recordsIn(excess(), size()); left > 0; left = recordsIn(excess(), size())) {
          if (!isWorthwhile(droppable(selection), counts.records())) break;
          if ((await remove({ before: all, most: left, upTo, selection })) === 0) break;
        }
      }
      if (removed > 0) await vacuum(db, signal);
      return removed;
    },
  };
}

/** Free pages are released in steps, because each blocks the event loop. */
async function vacuum(db: SqliteDatabase, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && freePages(db) > 0) {
    db.sqlite.exec(`PRAGMA incremental_vacuum(${VACUUM_PAGES})`);
    await new Promise(setImmediate);
  }
}

function prepare(sqlite: Sqlite) {
  return {
    leading: sqlite.prepare(`
      SELECT j.pos, j.seq, j.entry, j.hash, a.facet_id, a.ts, a.salt, ${CHANGED_SQL} AS changed
      FROM activity_journal j LEFT JOIN activity a ON a.seq = j.seq WHERE j.pos <= CAST(? AS INTEGER) ORDER BY j.pos LIMIT ?`),
    find: sqlite.prepare('SELECT * FROM activity WHERE seq = ?'),
    expired: sqlite.prepare(`
      SELECT a.seq FROM activity a JOIN activity_facet f ON f.id = a.facet_id
      WHERE a.seq < ? AND a.salt IS NOT NULL AND f.status <> 'pending' ORDER BY a.seq LIMIT 1000`),
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
