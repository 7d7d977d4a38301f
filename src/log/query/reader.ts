import type { RecordFilter } from '../../contract/activity.ts';
import type { GroupCommit, Sqlite } from '../../db/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Activity } from '../activity.ts';
import { BREAKDOWN_RECORDS, createBreakdown } from '../counts/breakdown.ts';
import { fromCursor, toCursor } from './cursor.ts';
import type { Finder } from './finder.ts';
import type { Plan } from './plan.ts';
import { seqOfId } from '../record/sequence.ts';
import type { Series } from '../counts/series.ts';
import { summarise, summaryRange } from '../counts/summary.ts';
import type { TextIndex } from './text-index.ts';
import type { Totals } from '../counts/totals.ts';

const DAY_MS = 86_400_000;
const EXPORT_CHUNK = 200;
/** If more records are not indexed, they are indexed before a search. */
const MAX_UNINDEXED = 500;

export interface ReadableDatabase {
  sqlite: Sqlite;
  /** Writes what is queued. */
  writes: Pick<GroupCommit<never>, 'flush'>;
}

interface ReaderParts {
  db: ReadableDatabase;
  planFor: (filter: RecordFilter) => Plan;
  index: TextIndex;
  finder: Finder;
  totals: Totals;
  series: Series;
  clock: Clock;
}

/** All reading operations of the log. */
export function createReader({
  db,
  planFor,
  index,
  finder,
  totals,
  series,
  clock,
}: ReaderParts): Pick<Activity, 'list' | 'get' | 'summary' | 'series' | 'breakdown' | 'export' | 'stats'> {
  async function prepare(filter: RecordFilter): Promise<Plan> {
    const plan = planFor(filter);
    if (plan.isSelective || (!plan.byText && !plan.unlisted)) return plan;
    await index.catchUp(MAX_UNINDEXED);
    return planFor(filter);
  }

  return {
    async list(filter, { limit, cursor, isLight = false }) {
      const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : fromCursor(cursor) - 1;
      // Some refusals are answered before they are on disk, and must be in the list already.
      if (cursor === undefined) await db.writes.flush().catch(() => {});
      const plan = await prepare(filter);
      const page = async () => {
        const slice = { low: 0, high: before, limit: limit + 1, direction: 'newest', isLight } as const;
        const rows = await finder.rows(plan, slice);
        const shown = rows.slice(0, limit);
        const next = rows.length > limit ? toCursor(shown.at(-1)!.seq) : null;
        return {
          records: shown.map((row) => finder.record(row)),
          next_cursor: next,
          total: await totals.of(plan),
        };
      };
      return plan.byText || plan.unlisted ? index.whilePaused(page) : page();
    },
    async get(id) {
      const seq = seqOfId(id);
      if (seq === null) return undefined;
      // An event may have announced the record before its first commit.
      if (!finder.bySeq(seq)) await db.writes.flush().catch(() => {});
      const row = finder.bySeq(seq);
      return row?.id === id ? finder.record(row) : undefined;
    },
    async summary(wanted, options) {
      const range = summaryRange(wanted, clock.now());
      if (typeof wanted === 'string') return summarise(range, totals.since(wanted, range.start), options);
      return summarise(range, totals.within(planFor(wanted)), options);
    },
    series: async (query) => series.read(query, clock.now()),
    async breakdown(filter, wanted) {
      await db.writes.flush().catch(() => {});
      const plan = await prepare(filter);
      const made = createBreakdown();
      const visit = () =>
        finder.visit(plan, BREAKDOWN_RECORDS + 1, (row, facet, n) => {
          if (n <= BREAKDOWN_RECORDS) made.add(row, facet);
        });
      const n = await (plan.byText || plan.unlisted ? index.whilePaused(visit) : visit());
      return made.result({ ...filter, ...wanted, now: clock.now(), complete: n <= BREAKDOWN_RECORDS });
    },
    async *export(filter, { isLight = false } = {}) {
      const plan = await prepare(filter);
      let low = 0;
      const high = newestSeq(db.sqlite);
      while (low <= high) {
        const rows = await finder.rows(plan, {
          low,
          high,
          limit: EXPORT_CHUNK,
          direction: 'oldest',
          isLight,
        });
        for (const row of rows) yield finder.record(row);
        if (rows.length < EXPORT_CHUNK) return;
        low = rows.at(-1)!.seq + 1;
      }
    },
    async stats() {
      const today = { start_time: new Date(clock.now() - DAY_MS).toISOString() };
      const total = (filter: RecordFilter) => totals.of(planFor(filter));
      return {
        records: await total({}),
        last_24h: await total(today),
        refused_24h: await total({ ...today, status: 'refused' }),
      };
    },
  };
}

export function newestSeq(sqlite: Sqlite): number {
  return (sqlite.prepare('SELECT max(seq) AS seq FROM activity').get() as { seq: number | null }).seq ?? -1;
}
