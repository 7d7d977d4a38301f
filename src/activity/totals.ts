import type { Sqlite } from '../db/sqlite.ts';
import type { Run } from './buckets.ts';
import type { Counts } from './counts.ts';
import type { ActivityFilter } from '../contract/activity.ts';
import type { Facet } from './facets.ts';
import type { Finder } from './finder.ts';
import type { Plan } from './plan.ts';
import { firstSeqAt } from './sequence.ts';
import type { Series } from './series.ts';

export interface Totals {
  /** How many records match. Exact, but with words counted only up to a bound. */
  of(plan: Plan): Promise<number>;
  /** Records per facet since a time; all of them without one. */
  since(from: number | null): Map<Facet, number>;
}

export interface TotalsParts {
  sqlite: Sqlite;
  counts: Counts;
  series: Series;
  finder: Finder;
  planFor: (filter: ActivityFilter) => Plan;
  maxSkew: () => number;
}

export const WORDS_COUNTED = 10_000;

export function createTotals(parts: TotalsParts): Totals {
  const { sqlite, counts, series, finder, planFor, maxSkew } = parts;
  const sql = prepare(sqlite);

  function perFacet(plan: Plan): Map<number, number> {
    const sums = new Map<number, number>();
    const add = (rows: unknown) => {
      for (const [id, n] of rows as Array<[number, number]>) sums.set(id, (sums.get(id) ?? 0) + n);
    };
    // Most tools have not been used in the last hour.
    const wanted = (first: number) =>
      JSON.stringify(plan.facets.filter((facet) => facet.lastSeq >= first).map((facet) => facet.id));
    const [from, to] = [Math.max(plan.from, -8.64e15), Math.min(plan.to, 8.64e15)];
    const { runs, rims } = stretches(plan);
    for (const { level, first, last } of runs) add(sql.run.all(wanted(first), level, first, last));
    for (const [low, high] of rims) add(sql.rim.all(low, high, from, to));
    return sums;
  }

  /** Where every record is surely in the time range, buckets count; around that, as far as the clock has been off, records are read. */
  function stretches(plan: Plan): { runs: Run[]; rims: Array<[number, number]> } {
    const surelyFrom = plan.from === -Infinity ? 0 : firstSeqAt(plan.from + maxSkew());
    const surelyTo = plan.to === Infinity ? Infinity : firstSeqAt(plan.to + 1) - 1;
    if (surelyFrom > surelyTo) return { runs: [], rims: [[plan.low, plan.high]] };
    const { runs, rims } = counts.cover(surelyFrom, surelyTo);
    const ends: Array<[number, number]> = [...rims, [plan.low, surelyFrom - 1], [surelyTo + 1, plan.high]];
    const within = ends.map(([low, high]): [number, number] => [
      Math.max(low, plan.low),
      Math.min(high, plan.high),
    ]);
    return { runs, rims: within.filter(([low, high]) => low <= high) };
  }

  function kept(plan: Plan): number {
    if (plan.from === -Infinity && plan.to === Infinity) return plan.held;
    if (plan.everything) return series.count(plan.from, plan.to, maxSkew());
    const counted = perFacet(plan);
    return plan.facets.reduce((sum, facet) => sum + (counted.get(facet.id) ?? 0), 0);
  }

  return {
    async of(plan) {
      if (plan.byText)
        return finder.countText(plan, plan.words === null ? Number.MAX_SAFE_INTEGER : WORDS_COUNTED);
      // What is not listed is found by the index, but not in listed facets: the tail is looked through for it alone.
      return kept(plan) + (plan.unlisted ? await finder.countText(plan, Number.MAX_SAFE_INTEGER) : 0);
    },
    since(from) {
      const start = from === null ? {} : { start_time: new Date(from).toISOString() };
      const plan = planFor(start);
      if (from === null) return new Map(plan.facets.map((facet) => [facet, facet.n]));
      const counted = perFacet(plan);
      return new Map(
        plan.facets.flatMap((facet) =>
          counted.has(facet.id) ? [[facet, counted.get(facet.id)!] as const] : [],
        ),
      );
    },
  };
}

function prepare(sqlite: Sqlite) {
  return {
    run: sqlite.prepare(
      `
      SELECT facet_id, sum(n) AS n FROM json_each(?) AS wanted CROSS JOIN activity_count
      WHERE level = ? AND facet_id = wanted.value AND bucket BETWEEN ? AND ? GROUP BY facet_id`,
      { returnArrays: true },
    ),
    // A rim is short: reading its rows in order beats the index.
    rim: sqlite.prepare(
      `
      SELECT facet_id, count(*) AS n FROM activity NOT INDEXED
      WHERE seq BETWEEN ? AND ? AND ts BETWEEN ? AND ? GROUP BY facet_id`,
      { returnArrays: true },
    ),
  };
}
