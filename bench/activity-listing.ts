import { SummaryPeriod } from '../src/contract/activity.ts';
import { END, filledFile, openStore } from './activity-fill.ts';
import { DAY, filters, iso, shown } from './activity-filters.ts';
import { percentile } from './statistics.ts';

// How long the first page of 50 takes for filters of all kinds, common and rare.
// usage: activity-listing.js RECORDS PAGES; prints JSON

export interface ListingResult {
  records: number;
  filter: string;
  total: number;
  p50Ms: number;
  p99Ms: number;
}

export interface ListingReport {
  pages: ListingResult[];
  /** The slowest of a hundred, by period. */
  summaryMs: Record<string, number>;
  seriesMs: Record<string, number>;
  bytesPerRecord: number;
  verify: { perSecond: number; verdict: string };
}

const [records, pages] = process.argv.slice(2).map(Number) as [number, number];
const file = await filledFile(records);
const { db, activity } = await openStore(file, { now: () => END });

async function timesOf(work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < pages; i++) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b);
}

const results: ListingResult[] = [];
for (const filter of filters(records)) {
  let total = 0;
  const times = await timesOf(async () => ({ total } = await activity.list(filter, { limit: 50 })));
  results.push({
    records,
    filter: shown(filter),
    total,
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
  });
}
const summaryMs: Record<string, number> = {};
for (const period of SummaryPeriod.options)
  summaryMs[period] = percentile(await timesOf(() => activity.summary(period)), 0.99);
const seriesMs: Record<string, number> = {};
for (const [what, ms, buckets] of [
  ['an hour', DAY / 24, 60],
  ['a day', DAY, 96],
  ['30 days', 30 * DAY, 500],
] as const) {
  const query = { start_time: iso(END - ms), end_time: iso(END), buckets };
  seriesMs[what] = percentile(await timesOf(() => activity.series(query)), 0.99);
}
const start = performance.now();
const { entries, verdict } = await activity.verify();
const { bytes } = db.sqlite
  .prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()')
  .get() as { bytes: number };
const report: ListingReport = {
  pages: results,
  summaryMs,
  seriesMs,
  bytesPerRecord: bytes / records,
  verify: { perSecond: (entries * 1000) / (performance.now() - start), verdict },
};
await activity.close();
await db.close();
console.log(JSON.stringify(report));
