import { z } from 'zod';

/** Which end of a day or week is meant: a range begins with its first moment and ends with its last. */
export type Edge = 'start' | 'end';

export interface TimeContext {
  /** Milliseconds. */
  now: number;
  edge: Edge;
  /** For days and for times without a zone. */
  zone: 'local' | 'utc';
}

export const TIME_EXAMPLES =
  '2h, 7d, 1w, today, yesterday, this week, last week, 2026-11-01 or 2026-11-01T10:30:00Z';

const UNITS = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
} as const;
/** A hundred years. */
const LONGEST_MS = 36_500 * UNITS.d;

const AGE = /^(\d{1,12})(ms|s|m|h|d|w)( ago)?$/;
const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?(Z|[+-]\d{2}:?\d{2})?)?$/i;

/** A time of the past or an ISO 8601 time in milliseconds; undefined where the text is none. */
export function timeOf(text: string, context: TimeContext): number | undefined {
  const words = text.trim().toLowerCase().replaceAll(/\s+/g, ' ');
  const at = ageOf(words, context.now) ?? dayOf(words, context) ?? isoOf(text.trim(), context);
  return at === undefined || Number.isNaN(new Date(at).getTime()) ? undefined : at;
}

function ageOf(text: string, now: number): number | undefined {
  if (text === 'now') return now;
  const [, amount, unit] = AGE.exec(text) ?? [];
  const ms = Number(amount) * UNITS[unit as keyof typeof UNITS];
  return ms <= LONGEST_MS ? now - ms : undefined;
}

/** Days as the difference to today: the first one and the one after the last. Weeks begin on Monday. */
const DAYS: Record<string, (weekday: number) => [first: number, next: number]> = {
  today: () => [0, 1],
  yesterday: () => [-1, 0],
  'this week': (weekday) => [-weekday, 7 - weekday],
  'last week': (weekday) => [-weekday - 7, -weekday],
};

function dayOf(text: string, { now, edge, zone }: TimeContext): number | undefined {
  const range = Object.hasOwn(DAYS, text) ? DAYS[text] : undefined;
  if (!range) return undefined;
  const date = new Date(now);
  const [year, month, day, weekday] =
    zone === 'utc'
      ? [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate(), date.getUTCDay()]
      : [date.getFullYear(), date.getMonth(), date.getDate(), date.getDay()];
  const [first, next] = range((weekday + 6) % 7);
  return edge === 'start'
    ? midnight([year, month, day + first], zone)
    : midnight([year, month, day + next], zone) - 1;
}

function midnight([year, month, day]: [number, number, number], zone: TimeContext['zone']): number {
  return zone === 'utc' ? Date.UTC(year, month, day) : new Date(year, month, day).getTime();
}

/** A date alone is the whole day. */
function isoOf(text: string, { edge, zone }: TimeContext): number | undefined {
  const found = ISO.exec(text);
  if (!found) return undefined;
  const [, year, month, day, hour, , , , offset] = found;
  if (!isDate(Number(year), Number(month), Number(day))) return undefined;
  const date: [number, number, number] = [Number(year), Number(month) - 1, Number(day)];
  if (hour === undefined)
    return edge === 'start' ? midnight(date, zone) : midnight([date[0], date[1], date[2] + 1], zone) - 1;
  return Date.parse(`${text.replace(' ', 'T')}${offset === undefined && zone === 'utc' ? 'Z' : ''}`);
}

/** Date.parse takes 2026-02-31 for a day in March. */
function isDate(year: number, month: number, day: number): boolean {
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

const ANY_TIME: TimeContext = { now: Date.UTC(2026, 0, 1), edge: 'start', zone: 'utc' };

/** A time as a filter takes it. Days, weeks and times without a zone are UTC in the API; the CLI and the web UI send local ones as ISO 8601. */
export const TimeText = z
  .string()
  .max(64)
  .refine(
    (text) => timeOf(text, ANY_TIME) !== undefined,
    `must be an age, a day or an ISO 8601 time, as in ${TIME_EXAMPLES}`,
  );

/** The times of a filter as ISO 8601. */
export function withTimes<T extends { start_time?: string | undefined; end_time?: string | undefined }>(
  filter: T,
  now: number,
): T {
  const { start_time: start, end_time: end } = filter;
  return {
    ...filter,
    ...(start !== undefined && { start_time: utc(start, now, 'start') }),
    ...(end !== undefined && { end_time: utc(end, now, 'end') }),
  };
}

const utc = (text: string, now: number, edge: Edge) =>
  new Date(timeOf(text, { now, edge, zone: 'utc' })!).toISOString();
