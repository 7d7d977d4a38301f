export interface Hit {
  name: string;
  /** 0..1; 1 is a tool that matches every term of the query well. */
  score: number;
  /** What its score lost, because hits above match the same terms. */
  repeated?: number;
}

/** The best few of many, without sorting all. Equal scores are ordered by name, so that the order is deterministic. */
export function createBest(limit: number) {
  const hits: Hit[] = [];
  let offered = 0;
  return {
    hits,
    get offered() {
      return offered;
    },
    /** A lower score cannot be among the best any more. */
    get floor() {
      return hits.length < limit ? 0 : (hits[limit - 1]?.score ?? 0);
    },
    /** Counts a hit below the floor. */
    pass(): void {
      offered++;
    },
    offer(name: string, score: number): void {
      offered++;
      const last = hits[limit - 1];
      if (limit < 1 || (last && !precedes(name, score, last))) return;
      let low = 0;
      for (let high = hits.length; low < high;) {
        const middle = (low + high) >>> 1;
        if (precedes(name, score, hits[middle]!)) high = middle;
        else low = middle + 1;
      }
      hits.splice(low, 0, { name, score });
      if (hits.length > limit) hits.pop();
    },
  };
}

function precedes(name: string, score: number, other: Hit): boolean {
  return score > other.score || (score === other.score && name < other.name);
}
