import type { Cover, SeqRange } from './buckets.ts';
import type { Counts } from './counts.ts';
import type { FacetSums, FacetSumsReader } from './facet-sums.ts';
import type { Facet, Facets } from './facets.ts';
import type { Finder } from '../query/finder.ts';
import { isByWho, type Plan } from '../query/plan.ts';
import { firstSeqAt } from '../record/sequence.ts';
import type { Series } from './series.ts';
import type { Windows } from './windows.ts';

export interface Totals {
  /** How many records match. Exact, but with words counted only up to a bound. */
  of(plan: Plan): Promise<number>;
  /** Records per facet since a time; all of them without one. The times asked for under a name move on. */
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
    const { runs, rims } = stretches(plan);
    for (const run of runs) add(read.ofRun(run, plan.facets));
    for (const range of rims) add(read.ofRecords(range, plan));
    return sums;
  }

  /** Where every record is surely in the time range, buckets count; around that, as far as the clock has been off, records are read. */
  function stretches(plan: Plan): Cover {
    const surelyFrom = plan.from === -Infinity ? 0 : firstSeqAt(plan.from + maxSkew());
    const surelyTo = plan.to === Infinity ? Infinity : firstSeqAt(plan.to + 1) - 1;
    if (surelyFrom > surelyTo) return { runs: [], rims: [[plan.low, plan.high]] };
    const { runs, rims } = counts.cover(surelyFrom, surelyTo);
    const ends: SeqRange[] = [...rims, [plan.low, surelyFrom - 1], [surelyTo + 1, plan.high]];
    const within = ends.map(([low, high]): SeqRange => [Math.max(low, plan.low), Math.min(high, plan.high)]);
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
        return finder.countText(
          plan,
          plan.words === null && !isByWho(plan.filter) ? Number.MAX_SAFE_INTEGER : WORDS_COUNTED,
        );
      // What is not listed is found by the index, but not in listed facets: the tail is looked through for it alone.
      return kept(plan) + (plan.unlisted ? await finder.countText(plan, Number.MAX_SAFE_INTEGER) : 0);
    },
    since(name, from) {
      if (from === null) return new Map([...facets.all()].map((facet) => [facet, facet.n]));
      // From here on every record is surely in time, and counted; before, records are read.
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
