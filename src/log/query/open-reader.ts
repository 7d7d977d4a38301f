import type { RecordFilter } from '../../contract/activity.ts';
import type { Sqlite } from '../../db/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Counts } from '../counts/counts.ts';
import type { Facets } from '../counts/facets.ts';
import type { Series } from '../counts/series.ts';
import { createFacetSums, createTotals, createWindows } from '../counts/totals.ts';
import type { Sequence } from '../record/sequence.ts';
import { createFinder } from './finder.ts';
import { makePlan } from './plan.ts';
import { createReader, newestSeq, type ReadableDatabase } from './reader.ts';
import { createColumnStreams, createStreams, createTextStreams } from './streams.ts';
import type { TextIndex } from './text-index.ts';

export interface OpenReaderParts {
  db: ReadableDatabase;
  facets: Facets;
  series: Series;
  counts: Counts;
  sequence: Pick<Sequence, 'maxSkew'>;
  index: TextIndex;
  clock: Clock;
}

/** Connects the parts that find and count records. */
export function openReader({ db, facets, series, counts, sequence, index, clock }: OpenReaderParts) {
  const { sqlite } = db;
  const text = createTextStreams(sqlite, index);
  const columns = createColumnStreams(sqlite);
  const streamsOf = createStreams(sqlite, { text, columns });
  const finder = createFinder({ sqlite, facets, text, columns, streamsOf });
  const planFor = (filter: RecordFilter) =>
    makePlan(filter, { facets, maxSkew: sequence.maxSkew, records: counts.records() });
  const sums = createFacetSums(sqlite);
  const totals = createTotals({
    sums,
    windows: createWindows({ counts, facets, sums }),
    facets,
    counts,
    series,
    finder,
    maxSkew: () => sequence.maxSkew,
  });
  return createReader({ db, planFor, index, finder, totals, series, clock });
}

export function lastSequence(sqlite: Sqlite): { last: number; maxSkew: number } {
  const state = sqlite.prepare('SELECT value FROM activity_state WHERE key = ?');
  const value = (key: string) => (state.get(key) as { value: number } | undefined)?.value ?? 0;
  return { last: Math.max(newestSeq(sqlite), value('indexed_to'), 0), maxSkew: value('max_skew') };
}
