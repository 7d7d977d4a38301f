import type { Sqlite } from '../../db/index.ts';
import type { Counts, Cover, Run, SeqRange } from './counts.ts';
import type { Facet, Facets } from './facets.ts';
import type { Series } from './series.ts';
import type { Finder } from '../query/finder.ts';
import { type Plan, filtersByCaller } from '../query/plan.ts';
import { firstSeqAt } from '../record/sequence.ts';

/** Pairs of facet id and number of records. */
export type FacetSums = Array<[id: number, n: number]>;

/** Reads the number of records per facet in a range of the log. */
export interface FacetSumsReader {
  /** From the counts per bucket. */
  ofRun(run: Run, facets: Iterable<Facet>): FacetSums;
  /** From the records. Both ends inclusive, of sequence and time. */
  ofRecords(range: SeqRange, time?: { from: number; to?: number }): FacetSums;
}

/** The largest Date. */
const MAX_TIME = 8.64e15;

export function createFacetSums(sqlite: Sqlite): FacetSumsReader {
  const run = sqlite.prepare(
    `SELECT facet_id, sum(n) AS n FROM json_each(?) AS wanted CROSS JOIN activity_count
     WHERE level = ? AND facet_id = wanted.value AND bucket BETWEEN ? AND ? GROUP BY facet_id`,
    { returnArrays: true },
  );
  // An edge is short: reading its rows in order is faster than the index.
  const records = sqlite.prepare(
    `SELECT facet_id, count(*) AS n FROM activity NOT INDEXED
     WHERE seq BETWEEN ? AND ? AND ts BETWEEN ? AND ? GROUP BY facet_id`,
    { returnArrays: true },
  );
  return {
    ofRun({ level, first, last }, facets) {
      // Most facets have no record in the range.
      const ids: number[] = [];
      for (const { id, lastSeq } of facets) if (lastSeq >= first) ids.push(id);
      return run.all(JSON.stringify(ids), level, first, last) as unknown[] as FacetSums;
    },
    ofRecords: ([low, high], { from = -MAX_TIME, to = MAX_TIME } = { from: -MAX_TIME }) =>
      records.all(low, high, Math.max(from, -MAX_TIME), Math.min(to, MAX_TIME)) as unknown[] as FacetSums,
  };
}

/**
 * Records per facet in a sliding window, such as the last day. Summed up once, then updated by each commit, so a repeated summary
 * costs nothing, however long the log is.
 */
export interface Windows {
  /** Records per facet from the start of a small bucket. Each name has one window, whose start must increase. */
  since(name: string, first: number): ReadonlyMap<Facet, number>;
}

interface Window {
  first: number;
  sums: Map<Facet, number>;
}

/** Buckets. Beyond this, summing up again is as fast as reading the records that left the window. */
const MAX_BEHIND = 8;

export interface WindowsParts {
  counts: Counts;
  facets: Facets;
  sums: FacetSumsReader;
}

export function createWindows({ counts, facets, sums: read }: WindowsParts): Windows {
  const windows = new Map<string, Window>();
  let isWatching = false;

  function watch(): void {
    if (isWatching) return;
    isWatching = true;
    counts.watch({
      moved(facet, bucket, n) {
        for (const { first, sums } of windows.values())
          if (bucket >= first) sums.set(facet, (sums.get(facet) ?? 0) + n);
      },
      reset: () => windows.clear(),
    });
  }

  function add(sums: Map<Facet, number>, found: FacetSums, sign: 1 | -1): void {
    for (const [id, n] of found) {
      const facet = facets.get(id);
      if (facet) sums.set(facet, (sums.get(facet) ?? 0) + sign * n);
    }
  }

  /** Sums the shorter side: everything after the start, or everything minus what is before it. */
  function addUp(first: number): Map<Facet, number> {
    const [before, after] = [counts.cover(0, first - 1).runs, counts.cover(first, Infinity).runs];
    const all = [...facets.all()];
    const fromAll = size(before) < size(after);
    const sums = new Map<Facet, number>(fromAll ? all.map((facet) => [facet, facet.n]) : []);
    for (const run of fromAll ? before : after) add(sums, read.ofRun(run, all), fromAll ? -1 : 1);
    return sums;
  }

  function moveOn(window: Window, first: number): boolean {
    if (window.first > first || size(counts.cover(window.first, first - 1).runs) > MAX_BEHIND) return false;
    if (window.first < first) add(window.sums, read.ofRecords([window.first, first - 1]), -1);
    window.first = first;
    return true;
  }

  return {
    since(name, first) {
      const kept = windows.get(name);
      if (kept && moveOn(kept, first)) return kept.sums;
      watch();
      const sums = addUp(first);
      windows.set(name, { first, sums });
      return sums;
    },
  };
}

const size = (runs: readonly Run[]) => runs.reduce((sum, { buckets }) => sum + buckets, 0);

export interface Totals {
  /** Number of matching records; with words only up to a bound. */
  of(plan: Plan): Promise<number>;
  /** Records per facet in the time range of the plan, which has no other filter. */
  within(plan: Plan): ReadonlyMap<Facet, number>;
  /** Records per facet since a time, or of all time. The times given for one name must increase. */
  since(name: string, from: number | null): ReadonlyMap<Facet, number>;
}

export interface TotalsParts {
  sums: FacetSumsReader;
  windows: Windows;
  facets: Facets;
  counts: Counts;
  series: Series;
  finder: Finder;
  maxSkew: () => number;
}

export const WORDS_COUNTED = 10_000;

export function createTotals(parts: TotalsParts): Totals {
  const { sums: read, windows, facets, counts, series, finder, maxSkew } = parts;

  function perFacet(plan: Plan): Map<number, number> {
    const sums = new Map<number, number>();
    const add = (found: FacetSums) => {
      for (const [id, n] of found) sums.set(id, (sums.get(id) ?? 0) + n);
    };
    const { runs, edges } = stretches(plan);
    for (const run of runs) add(read.ofRun(run, plan.facets));
    for (const range of edges) add(read.ofRecords(range, plan));
    return sums;
  }

  /** Uses buckets where every record is certainly in the time range; reads records around that, as far as the clock skew requires. */
  function stretches(plan: Plan): Cover {
    const surelyFrom = plan.from === -Infinity ? 0 : firstSeqAt(plan.from + maxSkew());
    const surelyTo = plan.to === Infinity ? Infinity : firstSeqAt(plan.to + 1) - 1;
    if (surelyFrom > surelyTo) return { runs: [], edges: [[plan.low, plan.high]] };
    const { runs, edges } = counts.cover(surelyFrom, surelyTo);
    const ends: SeqRange[] = [...edges, [plan.low, surelyFrom - 1], [surelyTo + 1, plan.high]];
    const within = ends.map(([low, high]): SeqRange => [Math.max(low, plan.low), Math.min(high, plan.high)]);
    return { runs, edges: within.filter(([low, high]) => low <= high) };
  }

  function kept(plan: Plan): number {
    if (plan.from === -Infinity && plan.to === Infinity) return plan.held;
    if (plan.matchesAll) return series.count(plan.from, plan.to, maxSkew());
    const counted = perFacet(plan);
    return plan.facets.reduce((sum, facet) => sum + (counted.get(facet.id) ?? 0), 0);
  }

  return {
    async of(plan) {
      if (plan.needsRows) return finder.countRows(plan, WORDS_COUNTED);
      if (plan.column !== null) return finder.countColumn(plan, WORDS_COUNTED);
      if (plan.byText)
        return finder.countText(
          plan,
          plan.words === null && !filtersByCaller(plan.filter) ? Number.MAX_SAFE_INTEGER : WORDS_COUNTED,
        );
      // Records that store their own names are counted by the text index.
      return kept(plan) + (plan.unlisted ? await finder.countText(plan, Number.MAX_SAFE_INTEGER) : 0);
    },
    within(plan) {
      const sums = [...perFacet(plan)].map(([id, n]) => [facets.get(id), n] as const);
      return new Map(sums.filter((each): each is readonly [Facet, number] => each[0] !== undefined));
    },
    since(name, from) {
      if (from === null) return new Map([...facets.all()].map((facet) => [facet, facet.n]));
      // From here on every record is certainly in the range and counted; before, records are read.
      const first = counts.firstBucketFrom(firstSeqAt(from + maxSkew()));
      const sums = new Map(first === undefined ? [] : windows.since(name, first));
      for (const [id, n] of read.ofRecords([firstSeqAt(from), (first ?? Infinity) - 1], { from })) {
        const facet = facets.get(id);
        if (facet) sums.set(facet, (sums.get(facet) ?? 0) + n);
      }
      return sums;
    },
  };
}
