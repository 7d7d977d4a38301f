import type { ActivityRecord } from '../../../contract/activity.ts';
import { isServerFailure, unavailable, wasCut, type PostgresDatabase } from '../../../db/index.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Activity } from '../../activity.ts';
import { fromPositionCursor, toPositionCursor } from '../../query/cursor.ts';
import { seqOfId } from '../../record/sequence.ts';
import { BREAKDOWN_RECORDS, createBreakdown } from '../../counts/breakdown.ts';
import { summarise, summaryRange } from '../../counts/summary.ts';
import { DAY_MS } from '../write/deltas.ts';
import { createPgFinder, facetOf, recordOf } from './finder.ts';
import { FOUND, type FoundRow, type RecordPosition } from './pages.ts';
import { makePgPlan } from './plan.ts';
import { createPgTotals, readSeries } from './totals.ts';

export type Reader = Pick<Activity, 'list' | 'get' | 'summary' | 'series' | 'breakdown' | 'export' | 'stats'>;

export interface ReaderParts {
  db: Pick<PostgresDatabase, 'pool' | 'place'>;
  clock: Clock;
  /** Writes what is queued. */
  flush: () => Promise<void>;
}

const EXPORT_CHUNK = 200;
const BREAKDOWN_CHUNK = 2000;
const REPEAT_MS = 5000;

type Pool = PostgresDatabase['pool'];

export function createPgReader({ db, clock, flush }: ReaderParts): Reader {
  const { pool } = db;
  const finder = createPgFinder(pool);
  const totals = createPgTotals(pool);

  async function find(id: string, seq: number): Promise<ActivityRecord | undefined> {
    const { rows } = await pool.query<FoundRow>({
      name: 'activity-get',
      text: `SELECT ${FOUND} FROM activity a JOIN activity_facet f ON f.id = a.facet_id WHERE a.seq = $1 AND a.id = $2`,
      values: [seq, id],
    });
    return rows[0] && recordOf(rows[0]);
  }

  /** Pages show each record once: a place names one record, and what arrives later in front of it does not move it. */
  const list: Reader['list'] = async (filter, { limit, cursor, isLight = false }) => {
    const from = cursor === undefined ? undefined : fromPositionCursor(cursor);
    // Some refusals are answered before they are on disk, and must be in the list already.
    if (cursor === undefined) await flush();
    const plan = await makePgPlan(filter, db);
    const rows = await finder.rows(plan, { from, limit: limit + 1, direction: 'newest', isLight });
    const shown = rows.slice(0, limit);
    const whole = from === undefined && rows.length <= limit;
    return {
      records: shown.map(recordOf),
      next_cursor: rows.length > limit ? toPositionCursor(shown.at(-1)!) : null,
      total: whole ? rows.length : await totals.of(plan, from === undefined ? rows[0]?.held : undefined),
    };
  };

  const breakdown: Reader['breakdown'] = async (filter, wanted) => {
    await flush();
    const plan = await makePgPlan(filter, db);
    const made = createBreakdown();
    let [n, from, isMore]: [number, RecordPosition | undefined, boolean] = [0, undefined, true];
    while (isMore && n <= BREAKDOWN_RECORDS) {
      const limit = Math.min(BREAKDOWN_CHUNK, BREAKDOWN_RECORDS + 1 - n);
      const rows: FoundRow[] = await finder.rows(plan, { from, limit, direction: 'newest', isLight: true });
      for (const row of rows) if (++n <= BREAKDOWN_RECORDS) made.add(row, facetOf(row));
      isMore = rows.length === limit;
      from = rows.at(-1);
    }
    return made.result({ ...filter, ...wanted, now: clock.now(), complete: n <= BREAKDOWN_RECORDS });
  };

  async function* exported(
    ...[filter, { isLight = false } = {}]: Parameters<Reader['export']>
  ): AsyncGenerator<ActivityRecord> {
    const [plan, high] = await repeatIfCut(pool, () => Promise.all([makePgPlan(filter, db), newestSeq()]));
    let from: RecordPosition | undefined;
    do {
      const bounded = { ...plan, high: Math.min(plan.high, high) };
      const rows = await finder.rows(bounded, { from, limit: EXPORT_CHUNK, direction: 'oldest', isLight });
      for (const row of rows) yield recordOf(row);
      from = rows.length < EXPORT_CHUNK ? undefined : rows.at(-1)!;
    } while (from);
  }

  async function newestSeq(): Promise<number> {
    const { rows } = await pool.query<{ seq: number }>(
      'SELECT seq FROM activity ORDER BY seq DESC, log DESC LIMIT 1',
    );
    return rows[0]?.seq ?? -1;
  }

  return readable(db, {
    list,
    breakdown,
    async get(id) {
      const seq = seqOfId(id);
      if (seq === null) return undefined;
      const found = await find(id, seq);
      if (found) return found;
      // An event may have announced the record before its first commit.
      await flush();
      return find(id, seq);
    },
    async summary(wanted, options) {
      const range = summaryRange(wanted, clock.now());
      const isToNow = typeof wanted === 'string' || wanted.end_time === undefined;
      return summarise(range, await totals.since(range.start, isToNow ? Infinity : range.end), options);
    },
    series: (query) => readSeries(pool, query, clock.now()),
    export: exported,
    async stats() {
      const [all, today] = await Promise.all([totals.since(null), totals.since(clock.now() - DAY_MS)]);
      const sum = (counts: Map<{ status: string }, number>, status?: string) =>
        [...counts].reduce(
          (total, [facet, n]) => total + (status === undefined || facet.status === status ? n : 0),
          0,
        );
      return { records: sum(all), last_24h: sum(today), refused_24h: sum(today, 'refused') };
    },
  });
}

/** Connections of the pool may have ended while nobody used them, all at once; that is no reason to refuse what a new one can read. */
async function repeatIfCut<T>(pool: Pool, read: () => Promise<T>): Promise<T> {
  const until = performance.now() + REPEAT_MS;
  for (let repeats = 0; ; repeats++)
    try {
      return await read();
    } catch (error) {
      const isLast = repeats >= pool.options.max || (repeats > 0 && performance.now() > until);
      if (!wasCut(error) || isLast) throw error;
    }
}

/** Trouble with the server comes as one error that every door can render. */
function readable({ pool, place }: ReaderParts['db'], reader: Reader): Reader {
  const readableError = (error: unknown) => (isServerFailure(error) ? unavailable(place, error) : error);
  const wrap =
    <A extends unknown[], T>(read: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      try {
        return await repeatIfCut(pool, () => read(...args));
      } catch (error) {
        throw readableError(error);
      }
    };
  return {
    list: wrap(reader.list),
    get: wrap(reader.get),
    summary: wrap(reader.summary),
    series: wrap(reader.series),
    breakdown: wrap(reader.breakdown),
    stats: wrap(reader.stats),
    async *export(...args) {
      try {
        yield* reader.export(...args);
      } catch (error) {
        throw readableError(error);
      }
    },
  };
}
