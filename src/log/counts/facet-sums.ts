import type { Sqlite } from '../../db/index.ts';
import type { Run, SeqRange } from './buckets.ts';
import type { Facet } from './facets.ts';

/** Pairs of a facet's id and how many of its records there are. */
export type FacetSums = Array<[id: number, n: number]>;

/** Records per facet in a stretch of the log. */
export interface FacetSumsReader {
  /** From what is kept per bucket. */
  ofRun(run: Run, facets: Iterable<Facet>): FacetSums;
  /** Record by record. Both ends inclusive, of the sequence and of time. */
  ofRecords(range: SeqRange, time?: { from: number; to?: number }): FacetSums;
}

/** As far as a Date goes. */
const MAX_TIME = 8.64e15;

export function createFacetSums(sqlite: Sqlite): FacetSumsReader {
  const run = sqlite.prepare(
    `SELECT facet_id, sum(n) AS n FROM json_each(?) AS wanted CROSS JOIN activity_count
     WHERE level = ? AND facet_id = wanted.value AND bucket BETWEEN ? AND ? GROUP BY facet_id`,
    { returnArrays: true },
  );
  // A rim is short: reading its rows in order beats the index.
  const records = sqlite.prepare(
    `SELECT facet_id, count(*) AS n FROM activity NOT INDEXED
     WHERE seq BETWEEN ? AND ? AND ts BETWEEN ? AND ? GROUP BY facet_id`,
    { returnArrays: true },
  );
  return {
    ofRun({ level, first, last }, facets) {
      // Most tools have not been used in the last hour.
      const ids: number[] = [];
      for (const { id, lastSeq } of facets) if (lastSeq >= first) ids.push(id);
      return run.all(JSON.stringify(ids), level, first, last) as unknown[] as FacetSums;
    },
    ofRecords: ([low, high], { from = -MAX_TIME, to = MAX_TIME } = { from: -MAX_TIME }) =>
      records.all(low, high, Math.max(from, -MAX_TIME), Math.min(to, MAX_TIME)) as unknown[] as FacetSums,
  };
}
