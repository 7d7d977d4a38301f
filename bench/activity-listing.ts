import { fileURLToPath } from 'node:url';
import type { ActivityFilter } from '../src/contract/activity.ts';
import { END, filledFile, openStore, RARE } from './activity-fill.ts';
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

const DAY = 86_400_000;
const iso = (ms: number) => new Date(ms).toISOString();

function filters(records: number): ActivityFilter[] {
  return [
    {},
    { server: 'server-0' },
    { server: RARE.server },
    { status: 'refused' },
    { intent_type: 'destructive' },
    { tool: 'get_issue' },
    { tool: `${RARE.server}:${RARE.tool}`, status: 'error' },
    { server: 'server-19', status: 'unknown', intent_type: 'destructive' },
    { type: 'discovery', status: 'error' },
    { session_id: `session-${Math.floor(records / 400)}` },
    { request_id: `request-${Math.floor(records / 3)}` },
    { start_time: iso(END - 20 * DAY), end_time: iso(END - 19 * DAY) },
    { status: 'error', server: 'server-2', start_time: iso(END - 15 * DAY), end_time: iso(END - 14 * DAY) },
    { q: 'budget' },
    { q: RARE.word },
    { q: 'budget refund', server: 'server-7', status: 'refused' },
    {
      q: 'customer',
      intent_type: 'destructive',
      start_time: iso(END - 25 * DAY),
      end_time: iso(END - 20 * DAY),
    },
    { q: 'nowhere' },
  ];
}

function shown(filter: ActivityFilter): string {
  const parts = Object.entries(filter).map(([key, value]) =>
    key.endsWith('_time') ? `${key} ${value.slice(0, 10)}` : `${key} ${value}`,
  );
  return parts.join(', ') || '(no filter)';
}

const [records, pages] = process.argv.slice(2).map(Number) as [number, number];
const file = await filledFile(records, fileURLToPath(new URL('..', import.meta.url)));
const { db, activity } = await openStore(file, { now: () => END });
const results: ListingResult[] = [];
for (const filter of filters(records)) {
  const times: number[] = [];
  let total = 0;
  for (let i = 0; i < pages; i++) {
    const start = performance.now();
    ({ total } = await activity.list(filter, { limit: 50 }));
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  results.push({
    records,
    filter: shown(filter),
    total,
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
  });
}
await activity.close();
await db.close();
console.log(JSON.stringify(results));
