import type { ActivitySeries, SeriesPoint } from '../../contract/activity.ts';
import { ProxyError } from '../../contract/errors.ts';
import { type SealedFacet, isApprovalDecision, shownOperation } from '../record/row.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;

/** Counters per minute and per hour, in the order of the columns. */
export const SERIES_COUNTERS = [
  'read',
  'write',
  'destructive',
  'other',
  'refused',
  'errors',
  'decisions',
] as const;
/** Counters whose sum is the number of all records; the others overlap with them. */
export const TOTAL_COUNTERS = ['read', 'write', 'destructive', 'other', 'decisions'] as const;
export type SeriesCounter = (typeof SERIES_COUNTERS)[number];

/** The counters that a record of this facet increments. */
export function seriesBucketsFor(facet: SealedFacet): SeriesCounter[] {
  const { status } = facet;
  // A repeat or a refused attempt has decided nothing.
  if (isApprovalDecision(facet) && status === 'success') return ['decisions'];
  const by: SeriesCounter[] = [shownOperation(facet) ?? 'other'];
  if (status === 'refused' || status === 'denied' || status === 'expired') by.push('refused');
  if (status === 'error' || status === 'unknown') by.push('errors');
  return by;
}

/** In milliseconds. `start` and `end` are multiples of `step`, so each point is a sum of whole units. */
export interface SeriesWindow {
  start: number;
  /** Exclusive. */
  end: number;
  step: number;
  unit: typeof MINUTE_MS | typeof HOUR_MS;
}

const FIRST = 0;
const LAST = Date.UTC(9999, 11, 31);

/**
 * Points are aligned to multiples of the step, so a chart does not shift from one minute to the next. The last one contains
 * the end and may still grow; the first one is complete.
 */
export function seriesWindow(
  query: { start_time?: string | undefined; end_time?: string | undefined; buckets: number },
  now: number,
): SeriesWindow {
  const to = within(query.end_time === undefined ? now : Date.parse(query.end_time));
  const from = within(query.start_time === undefined ? to - HOUR_MS : Date.parse(query.start_time));
  if (from > to)
    throw new ProxyError('INVALID_REQUEST', 'start_time must not be after end_time', { field: 'start_time' });
  const least = (to - from) / query.buckets;
  const unit = least > HOUR_MS ? HOUR_MS : MINUTE_MS;
  const step = Math.max(unit, up(least, unit));
  const end = up(to, step);
  return { start: Math.min(up(from, step), end - step), end, step, unit };
}

const within = (ms: number) => Math.min(Math.max(ms, FIRST), LAST);
const up = (ms: number, step: number) => Math.ceil(ms / step) * step;

/** All points in order, including empty ones. `sums` holds the others by point number. */
export function toSeries(
  { start, end, step }: SeriesWindow,
  sums: ReadonlyMap<number, Record<SeriesCounter, number>>,
): ActivitySeries {
  const points: SeriesPoint[] = [];
  for (let time = start; time < end; time += step) {
    const sum = sums.get(points.length) ?? NOTHING;
    const total = TOTAL_COUNTERS.reduce((all, name) => all + sum[name], 0);
    points.push({ time: new Date(time).toISOString(), ...sum, total });
  }
  return {
    start_time: new Date(start).toISOString(),
    end_time: new Date(end).toISOString(),
    step_ms: step,
    points,
  };
}

const NOTHING: Record<SeriesCounter, number> = {
  read: 0,
  write: 0,
  destructive: 0,
  other: 0,
  refused: 0,
  errors: 0,
  decisions: 0,
};
