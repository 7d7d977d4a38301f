import type { Run } from './buckets.ts';
import type { Counts } from './counts.ts';
import type { FacetSums, FacetSumsReader } from './facet-sums.ts';
import type { Facet, Facets } from './facets.ts';

/**
 * Records per facet since a moment that moves on, such as a day ago. Added up once, then kept up to date by what is committed: a summary
 * that is asked for again adds up nothing, however long the log is.
 */
export interface Windows {
  /** Of everything from the beginning of a small bucket on. Each name has one window, which moves on with the moment asked for. */
  since(name: string, first: number): ReadonlyMap<Facet, number>;
}

interface Window {
  first: number;
  sums: Map<Facet, number>;
}

/** Buckets. Further behind, adding up anew is as fast as reading what has left. */
const MAX_BEHIND = 8;

export interface WindowsParts {
  counts: Counts;
  facets: Facets;
  sums: FacetSumsReader;
}

export function createWindows({ counts, facets, sums: read }: WindowsParts): Windows {
  const windows = new Map<string, Window>();
  counts.watch({
    moved(facet, bucket, n) {
      for (const { first, sums } of windows.values())
        if (bucket >= first) sums.set(facet, (sums.get(facet) ?? 0) + n);
    },
    reset: () => windows.clear(),
  });

  function add(sums: Map<Facet, number>, found: FacetSums, sign: 1 | -1): void {
    for (const [id, n] of found) {
      const facet = facets.get(id);
      if (facet) sums.set(facet, (sums.get(facet) ?? 0) + sign * n);
    }
  }

  /** From the shorter side: what lies behind the moment, or all but what lies before it. */
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
      const sums = addUp(first);
      windows.set(name, { first, sums });
      return sums;
    },
  };
}

const size = (runs: readonly Run[]) => runs.reduce((sum, { buckets }) => sum + buckets, 0);
