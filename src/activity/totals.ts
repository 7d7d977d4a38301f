import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import type { Counts } from './counts.ts';
import type { Facet, Facets } from './facets.ts';
import type { Finder } from './finder.ts';
import { makePlan, type Plan } from './plan.ts';
import { firstSeqAt } from './sequence.ts';

export interface Totals {
  /** How many records match. Exact, but with words counted only up to a bound. */
  of(plan: Plan): Promise<number>;
  /** Records per facet since a time; all of them without one. */
  since(from: number | null): Map<Facet, number>;
}

export interface TotalsParts {
  sqlite: DatabaseSyncInstance;
  facets: Facets;
  counts: Counts;
  finder: Finder;
  maxSkew: () => number;
}

export const WORDS_COUNTED = 10_000;

export function createTotals({ sqlite, facets, counts, finder, maxSkew }: TotalsParts): Totals {
  const sql = prepare(sqlite);

  /** The stretches of a time range: whole buckets inside, for which counts are kept, and the rims around them. */
  function stretches(plan: Plan): { inner: [number, number] | null; rims: Array<[number, number]> } {
    const starts = counts.buckets();
    const surelyFrom = plan.from === -Infinity ? 0 : firstSeqAt(plan.from + maxSkew());
    const surelyTo = plan.to === Infinity ? Infinity : firstSeqAt(plan.to + 1) - 1;
    const first = starts.findIndex((start) => start >= surelyFrom);
    let last = starts.length - 1;
    while (last >= 0 && (starts[last + 1] ?? Infinity) - 1 > surelyTo) last--;
    if (first < 0 || last < first) return { inner: null, rims: [[plan.low, plan.high]] };
    const innerEnd = (starts[last + 1] ?? Infinity) - 1;
    const rims: Array<[number, number]> = [];
    if (plan.low < starts[first]!) rims.push([plan.low, starts[first]! - 1]);
    if (innerEnd < plan.high) rims.push([innerEnd + 1, plan.high]);
    return { inner: [starts[first]!, starts[last]!], rims };
  }

  function perFacet(plan: Plan): Map<number, number> {
    const { inner, rims } = stretches(plan);
    const sums = new Map<number, number>();
    const add = (rows: unknown[]) => {
      for (const { facet_id: id, n } of rows as Array<{ facet_id: number; n: number }>)
        sums.set(id, (sums.get(id) ?? 0) + n);
    };
    const [from, to] = [Math.max(plan.from, -8.64e15), Math.min(plan.to, 8.64e15)];
    if (inner) add(sql.inner.all(JSON.stringify(plan.facets.map((facet) => facet.id)), ...inner));
    for (const [low, high] of rims) add(sql.rim.all(low, high, from, to));
    return sums;
  }

  function kept(plan: Plan): number {
    const timeless = plan.from === -Infinity && plan.to === Infinity;
    const counted = timeless ? null : perFacet(plan);
    return plan.facets.reduce(
      (sum, facet) => sum + (counted === null ? facet.n : (counted.get(facet.id) ?? 0)),
      0,
    );
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
      const plan = makePlan(start, facets, maxSkew());
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

function prepare(sqlite: DatabaseSyncInstance) {
  return {
    inner: sqlite.prepare(`
      SELECT facet_id, sum(n) AS n FROM json_each(?) AS wanted CROSS JOIN activity_count
      WHERE facet_id = wanted.value AND bucket BETWEEN ? AND ? GROUP BY facet_id`),
    // A rim is short: reading its rows in order beats the index.
    rim: sqlite.prepare(`
      SELECT facet_id, count(*) AS n FROM activity NOT INDEXED
      WHERE seq BETWEEN ? AND ? AND ts BETWEEN ? AND ? GROUP BY facet_id`),
  };
}
