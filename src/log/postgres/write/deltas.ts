import type { StoredFacet } from '../../record/entry.ts';
import type { ActivityRow } from '../../record/row.ts';
import { SERIES_COUNTERS, seriesBucketsFor, HOUR_MS, MINUTE_MS } from '../../counts/series-window.ts';

export const DAY_MS = 86_400_000;
/** How counts change with a transaction; kept per writer, so that no commit waits for that of another proxy. */
export interface Deltas {
  /** A record enters a facet (`from` null), leaves the log (`to` null), or changes its facet. */
  move(ts: number, from: StoredFacet | null, to: StoredFacet | null): void;
  grow(bytes: number): void;
  /** For the statement that adds them up. */
  toJson(): Record<'byHour' | 'byDay' | 'inAll' | 'minutes' | 'hours', string> & { bytes: number };
}

type Sums = Record<`n_${(typeof SERIES_COUNTERS)[number]}`, number>;
interface Count {
  bucket: number;
  facet_id: number;
  n: number;
}

export function createDeltas(): Deltas {
  const [byHour, byDay] = [createBucketCounts(HOUR_MS), createBucketCounts(DAY_MS)];
  const inAll = new Map<number, number>();
  const series = { minutes: new Map<number, Sums>(), hours: new Map<number, Sums>() };
  let bytes = 0;

  function add(ts: number, facet: StoredFacet, n: number): void {
    byHour.add(ts, facet, n);
    byDay.add(ts, facet, n);
    inAll.set(facet.id, (inAll.get(facet.id) ?? 0) + n);
    const places = seriesBucketsFor(facet);
    for (const sums of [
      sumsAt(series.minutes, Math.floor(ts / MINUTE_MS)),
      sumsAt(series.hours, Math.floor(ts / HOUR_MS)),
    ])
      for (const place of places) sums[`n_${place}`] += n;
  }

  return {
    move(ts, from, to) {
      if (from) add(ts, from, -1);
      if (to) add(ts, to, 1);
    },
    grow: (by) => void (bytes += by),
    toJson: () => ({
      byHour: byHour.toJson(),
      byDay: byDay.toJson(),
      inAll: JSON.stringify([...inAll].flatMap(([facet_id, n]) => (n === 0 ? [] : [{ facet_id, n }]))),
      minutes: seriesJson(series.minutes),
      hours: seriesJson(series.hours),
      bytes,
    }),
  };
}

/** Records per facet and unit of time. */
function createBucketCounts(unitMs: number) {
  const counts = new Map<string, Count>();
  return {
    add(ts: number, facet: StoredFacet, n: number): void {
      const bucket = Math.floor(ts / unitMs);
      const key = `${bucket} ${facet.id}`;
      const known = counts.get(key);
      if (known) known.n += n;
      else counts.set(key, { bucket, facet_id: facet.id, n });
    },
    toJson: () => JSON.stringify([...counts.values()].filter(({ n }) => n !== 0)),
  };
}

function sumsAt(series: Map<number, Sums>, at: number): Sums {
  const known = series.get(at);
  if (known) return known;
  const made = Object.fromEntries(SERIES_COUNTERS.map((name) => [`n_${name}`, 0])) as Sums;
  series.set(at, made);
  return made;
}

const seriesJson = (series: Map<number, Sums>) =>
  JSON.stringify([...series].map(([at, sums]) => ({ at, ...sums })));

/** What a record takes beside its texts: its row and entries, and its places in the indexes. */
const FIXED_BYTES = 900;
const TEXTS = ['error_message', 'metadata', 'arguments', 'response'] as const;

/** About how much room a record takes on the server, before compression. */
export function bytesOf(row: Pick<ActivityRow, (typeof TEXTS)[number]>): number {
  return TEXTS.reduce((sum, name) => sum + Buffer.byteLength(row[name] ?? ''), FIXED_BYTES);
}

/** The same, said in SQL. */
export const BYTES_SQL = `${FIXED_BYTES} + ${TEXTS.map((name) => `coalesce(octet_length(${name}), 0)`).join(' + ')}`;
