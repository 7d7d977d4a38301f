import { closeEntry, fillRow, openEntry } from '../src/log/record/entry.ts';
import { PLAIN_MARKER } from '../src/log/mask/mask-text.ts';
import { createFacets } from '../src/log/counts/facets.ts';
import { createLinks } from '../src/log/chain/hash-chain.ts';
import { createSequence } from '../src/log/record/sequence.ts';
import { indexText } from '../src/log/query/text-marks.ts';
import { systemClock } from '../src/lib/clock.ts';
import type { SqliteHandle } from '../src/db/sqlite/sqlite.ts';
import { wrappedSqlite } from '../test/fixtures/wrapped-sqlite.ts';
import { append, openBenchLog, readDraft, RESPONSE, settings } from './activity-store.ts';
import { median } from './statistics.ts';

// Where the time of a record goes with 64 writers. Statements are timed as the log runs them, computing in loops of its own. Prints JSON.
// usage: activity-parts.js ROUNDS ROUND_MS

export interface PartsResult {
  parts: Array<{ part: string; us: number }>;
  /** CPU time of the process for a record, all in all. */
  cpuUs: number;
}

const [rounds, roundMs] = process.argv.slice(2).map(Number) as [number, number];
const WRITERS = 64;

const STATEMENTS: Array<[part: string, sql: RegExp]> = [
  ['insert of the record, with its index', /^INSERT INTO activity VALUES/],
  ['insert of its entry in the chain', /^INSERT INTO activity_journal/],
  [
    'text index: reading back and inserting',
    /activity_text|activity_reindex|indexed_to|^SELECT seq, facet_id/,
  ],
  ['counts by facet, minute and hour', /activity_(count|bucket|minute|hour|facet)/],
  ['commit: WAL, sync, checkpoints, text index', /^(BEGIN|COMMIT)/],
];

const spent = new Map<string, number>();

/** A handle that says how long each statement took. */
function timedHandle(file: string): SqliteHandle {
  return wrappedSqlite(file, (sql, statement) => {
    const part = STATEMENTS.find(([, pattern]) => pattern.test(sql.trim()))?.[0];
    if (part === undefined) return undefined;
    const timed =
      <A extends unknown[], R>(run: (...values: A) => R) =>
      (...values: A) => {
        const start = performance.now();
        try {
          return run(...values);
        } finally {
          spent.set(part, (spent.get(part) ?? 0) + performance.now() - start);
        }
      };
    return {
      run: timed((...values: never[]) => statement.run(...values)),
      get: timed((...values: never[]) => statement.get(...values) as unknown),
      all: timed((...values: never[]) => statement.all(...values)),
    };
  });
}

/** Microseconds of one run; the median of several loops, after the code was compiled. */
function loop(work: (i: number) => unknown): number {
  const N = 20_000;
  const times: number[] = [];
  for (let round = 0; round < 7; round++) {
    const start = performance.now();
    for (let i = 0; i < N; i++) work(i);
    times.push(((performance.now() - start) * 1000) / N);
  }
  return median(times.slice(2));
}

const bench = await openBenchLog(timedHandle);
try {
  const { activity, db } = bench;
  const run = async (ms: number) => {
    const end = performance.now() + ms;
    const writer = async (each: number) => {
      while (performance.now() < end) await append(activity, each);
    };
    await Promise.all(Array.from({ length: WRITERS }, (_, each) => writer(each)));
  };
  await run(roundMs);
  const perRecord = new Map<string, number[]>(STATEMENTS.map(([part]) => [part, []]));
  const cpus: number[] = [];
  for (let round = 0; round < rounds; round++) {
    spent.clear();
    const [{ records: before }, cpu] = [await activity.stats(), process.cpuUsage()];
    await run(roundMs);
    const { user, system } = process.cpuUsage(cpu);
    const n = (await activity.stats()).records - before;
    cpus.push((user + system) / n);
    for (const [part, values] of perRecord) values.push(((spent.get(part) ?? 0) * 1000) / n);
  }

  const facets = createFacets(db.sqlite);
  const sequence = createSequence({ last: 0, maxSkew: 0 });
  const opening = { sequence, clock: systemClock, settings, marker: PLAIN_MARKER };
  const build = (i: number) => {
    const entry = openEntry(readDraft(i % WRITERS), opening);
    closeEntry(entry, { status: 'success', response: RESPONSE }, 65_536);
    return entry;
  };
  const entry = build(1);
  const facet = facets.of(entry.key, true);
  fillRow(entry, facet);
  const { row } = entry;
  const links = createLinks({
    logId: 'bench',
    head: { n: 0, hash: 'x'.repeat(43), unsigned: 0 },
    signer: { sign: () => '' },
    clock: opening.clock,
  });
  const computed = [
    { part: 'building it: ids, masking, JSON', us: loop((i) => fillRow(build(i), facet)) },
    {
      part: 'digest and hash of the chain',
      us: loop((i) => {
        links.append('closed', row, facet);
        if (i % 1000 === 0) links.committed();
      }),
    },
    { part: 'text index: words and marks', us: loop(() => indexText(row, facet)) },
  ];
  const statements = [...perRecord].map(([part, values]) => ({ part, us: median(values) }));
  const result: PartsResult = { parts: [...computed, ...statements], cpuUs: median(cpus) };
  console.log(JSON.stringify(result));
} finally {
  await bench.remove();
}
