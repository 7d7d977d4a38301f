import type pg from 'pg';
import type { ActivitySeries, SeriesQuery } from '../../../contract/activity.ts';
import { COUNTED, HOUR_MS, seriesWindow, toSeries, type Counted } from '../../counts/series-window.ts';

const SUMS = COUNTED.map((name) => `sum(n_${name}) AS ${name}`).join();

/** Counts over time, as all writers together have kept them. */
export async function readSeries(pool: pg.Pool, query: SeriesQuery, now: number): Promise<ActivitySeries> {
  const window = seriesWindow(query, now);
  const { start, end, step, unit } = window;
  const table = unit === HOUR_MS ? 'activity_hour' : 'activity_minute';
  const { rows } = await pool.query<Record<Counted, number> & { point: number }>(
    `SELECT at / $1::bigint - $4::bigint AS point, ${SUMS} FROM ${table} WHERE at >= $2::bigint AND at < $3::bigint GROUP BY point`,
    [step / unit, start / unit, end / unit, start / step],
  );
  return toSeries(window, new Map(rows.map(({ point, ...sums }) => [point, sums])));
}
