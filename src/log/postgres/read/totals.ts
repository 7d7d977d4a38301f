import type pg from 'pg';
import type { ActivitySeries, SeriesQuery } from '../../../contract/activity.ts';
import {
  SERIES_COUNTERS,
  type SeriesCounter,
  HOUR_MS,
  seriesWindow,
  toSeries,
} from '../../counts/series-window.ts';
import type { SummedFacet } from '../../counts/summary.ts';
import { WORDS_COUNTED } from '../../counts/totals.ts';
import { usesNewMarks, columnCondition, facetConditions } from './conditions.ts';
import { type Values, createValues } from './sql-values.ts';
import { holdsWords, tests } from './pages.ts';
import type { PgPlan } from './plan.ts';
import { DAY_MS } from '../write/deltas.ts';
import { isMarked } from '../write/words.ts';
import { type Span, isAllTime, seqRange } from '../../query/plan.ts';

export interface PgTotals {
  /** How many records match. Exact, but with words counted only up to a bound. `held`: what the index of words found, if it is known. */
  of(plan: PgPlan, held?: number): Promise<number>;
  /** Records since a time, by what a summary tells apart; all of them without one. */
  since(from: number | null, to?: number): Promise<Map<SummedFacet, number>>;
}

/** The values of a facet that a summary distinguishes. */
const SUMMED = 'f.type, f.source, f.status, f.operation_type, f.server_name, f.tool_name, f.unlisted';

export function createPgTotals(pool: pg.Pool): PgTotals {
  async function countWords(plan: PgPlan): Promise<number> {
    const values = createValues();
    const bound = plan.isBounded ? `LIMIT ${values.of(WORDS_COUNTED)}` : '';
    const { rows } = await pool.query<{ n: number }>(
      `SELECT count(*) AS n FROM (SELECT 1 FROM ${matchingWords(plan, values)} ${bound}) AS found`,
      values.list,
    );
    return rows[0]!.n;
  }

  async function countRows(plan: PgPlan): Promise<number> {
    const values = createValues();
    const conditions = [
      `a.seq BETWEEN ${values.of(plan.low)} AND ${values.of(plan.high)}`,
      ...(plan.strategy === 'column' ? [columnCondition(plan.filter, values)] : []),
      facetConditions(plan.filter, values),
      tests(plan, values),
      ...(plan.filter.q === undefined ? [] : [holdsWords(plan, values)]),
    ];
    const { rows } = await pool.query<{ n: number }>(
      `SELECT count(*) AS n FROM (SELECT 1 FROM activity a JOIN activity_facet f ON f.id = a.facet_id
         WHERE ${conditions.join(' AND ')} LIMIT ${values.of(WORDS_COUNTED)}) AS found`,
      values.list,
    );
    return rows[0]!.n;
  }

  async function countInTime(plan: PgPlan): Promise<number> {
    const values = createValues();
    const counted = perFacet(plan.span, plan.maxSkew, values);
    const wanted = `SELECT f.id FROM activity_facet f WHERE ${facetConditions(plan.filter, values)}`;
    const { rows } = await pool.query<{ n: number }>(
      `SELECT coalesce(sum(n), 0) AS n FROM (${counted}) AS counted ${plan.strategy === 'any' ? '' : `WHERE facet_id IN (${wanted})`}`,
      values.list,
    );
    return rows[0]!.n;
  }

  return {
    async of(plan, held) {
      if (plan.strategy === 'nothing') return 0;
      if (plan.needsRows && plan.strategy !== 'words' && plan.strategy !== 'selective')
        return countRows(plan);
      if (held !== undefined && wordsTellAll(plan))
        return plan.isBounded ? Math.min(held, WORDS_COUNTED) : held;
      if (plan.strategy === 'words' || plan.strategy === 'selective') return countWords(plan);
      if (plan.strategy === 'column') return countRows(plan);
      return isAllTime(plan.span) ? plan.held : countInTime(plan);
    },
    async since(from, to = Infinity) {
      const values = createValues();
      const counted =
        from === null && to === Infinity
          ? 'SELECT facet_id, n FROM activity_count_all'
          : perFacet({ from: from ?? -Infinity, to }, await maxSkew(pool), values);
      const { rows } = await pool.query<Omit<SummedFacet, 'unlisted'> & { unlisted: number; n: number }>(
        `SELECT ${SUMMED}, sum(n)::bigint AS n FROM (SELECT facet_id, sum(n) AS n FROM (${counted}) AS counted GROUP BY facet_id) AS sums
         JOIN activity_facet f ON f.id = facet_id WHERE n > 0 GROUP BY ${SUMMED}`,
        values.list,
      );
      return new Map(rows.map(({ n, unlisted, ...facet }) => [{ ...facet, unlisted: unlisted === 1 }, n]));
    },
  };
}

async function maxSkew(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ value: number }>(
    `SELECT value FROM activity_state WHERE key = 'max_skew'`,
  );
  return rows[0]?.value ?? 0;
}

/** Nothing is asked for that the index of words does not know. */
function wordsTellAll({ filter, needsTimeTest, isReindexed }: PgPlan): boolean {
  if (needsTimeTest || filter.clauses !== undefined || (!isReindexed && usesNewMarks(filter))) return false;
  return filter.status === undefined || isMarked(filter.status);
}

/** What the index of words finds, tested where it does not tell everything. */
function matchingWords(plan: PgPlan, values: Values): string {
  const { filter, low, high } = plan;
  const conditions = [`t.words @@ ${values.of(plan.query)}::tsquery`];
  if (low > 0 || high < Number.MAX_SAFE_INTEGER)
    conditions.push(`t.seq BETWEEN ${values.of(low)} AND ${values.of(high)}`);
  if (wordsTellAll(plan)) return `activity_text t WHERE ${conditions.join(' AND ')}`;
  conditions.push(facetConditions(filter, values), tests(plan, values));
  return `activity_text t JOIN activity a USING (seq, log) JOIN activity_facet f ON f.id = a.facet_id WHERE ${conditions.join(' AND ')}`;
}

/**
 * Records per facet in a range of time: whole days and hours from what is kept, the ends record by record. Rows of one facet may come
 * several times.
 */
function perFacet(span: Span, skew: number, values: Values): string {
  const [fromHour, toHour] = [Math.ceil(span.from / HOUR_MS), Math.floor((span.to + 1) / HOUR_MS)];
  if (!(fromHour < toHour)) return edgeCounts(span, skew, values);
  const [fromDay, toDay] = [
    Math.ceil((fromHour * HOUR_MS) / DAY_MS),
    Math.floor((toHour * HOUR_MS) / DAY_MS),
  ];
  const parts: string[] = [];
  const buckets = (table: string, from: number, to: number) => {
    if (!(from < to)) return;
    const [first, last] = [Math.max(from, -2e9), Math.min(to, 2e9)].map((value) => values.of(value));
    parts.push(`SELECT facet_id, n FROM ${table} WHERE bucket >= ${first} AND bucket < ${last}`);
  };
  const perDay = DAY_MS / HOUR_MS;
  if (fromDay < toDay) {
    buckets('activity_count_day', fromDay, toDay);
    buckets('activity_count_hour', fromHour, fromDay * perDay);
    buckets('activity_count_hour', toDay * perDay, toHour);
  } else buckets('activity_count_hour', fromHour, toHour);
  if (span.from < fromHour * HOUR_MS)
    parts.push(edgeCounts({ from: span.from, to: fromHour * HOUR_MS - 1 }, skew, values));
  if (span.to !== Infinity && span.to >= toHour * HOUR_MS)
    parts.push(edgeCounts({ from: toHour * HOUR_MS, to: span.to }, skew, values));
  return parts.join(' UNION ALL ');
}

function edgeCounts(span: Span, skew: number, values: Values): string {
  const { low, high } = seqRange(span, skew);
  return `SELECT facet_id, count(*) AS n FROM activity WHERE seq BETWEEN ${values.of(low)} AND ${values.of(high)}
    AND ts BETWEEN ${values.of(span.from)} AND ${values.of(span.to)} GROUP BY facet_id`;
}

const SUMS = SERIES_COUNTERS.map((name) => `sum(n_${name}) AS ${name}`).join();

/** Counts over time, as all writers together have kept them. */
export async function readSeries(pool: pg.Pool, query: SeriesQuery, now: number): Promise<ActivitySeries> {
  const window = seriesWindow(query, now);
  const { start, end, step, unit } = window;
  const table = unit === HOUR_MS ? 'activity_hour' : 'activity_minute';
  const { rows } = await pool.query<Record<SeriesCounter, number> & { point: number }>(
    `SELECT at / $1::bigint - $4::bigint AS point, ${SUMS} FROM ${table} WHERE at >= $2::bigint AND at < $3::bigint GROUP BY point`,
    [step / unit, start / unit, end / unit, start / step],
  );
  return toSeries(window, new Map(rows.map(({ point, ...sums }) => [point, sums])));
}
