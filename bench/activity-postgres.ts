import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Activity } from '../src/log/activity.ts';
import { createPostgresActivity } from '../src/log/postgres/log.ts';
import { SummaryPeriod } from '../src/contract/activity.ts';
import { openDatabase } from '../src/db/database.ts';
import type { PostgresDatabase } from '../src/db/postgres/database.ts';
import { createLog } from '../src/lib/log.ts';
import { startPostgres } from '../test/fixtures/postgres-server.ts';
import { END, filledFile, fillLog, openStore } from './activity-fill.ts';
import { filters, shown } from './activity-filters.ts';
import { append, openBenchLog, readDraft, RESPONSE } from './activity-store.ts';
import { median, percentile } from './statistics.ts';

// The log on PostgreSQL and on SQLite, in turns on the same machine, both durable. Prints JSON.
// usage: activity-postgres.js ROUNDS ROUND_MS RECORDS PAGES

export type Pair<T> = { postgres: T; sqlite: T };

export interface PostgresReport {
  /** Records per second, each durable before its writer goes on. `write`: on disk once open and once more when closed. */
  appends: Array<{ writers: number; kind: 'read' | 'write'; perSecond: Pair<number> }>;
  records: number;
  pages: Array<{ filter: string; total: number; p50Ms: Pair<number>; p99Ms: Pair<number> }>;
  summaryMs: Array<{ period: string; p99Ms: Pair<number> }>;
  verifyPerSecond: Pair<number>;
  verdicts: Pair<string>;
  bytesPerRecord: Pair<number>;
}

const [rounds, roundMs, records, pages] = process.argv.slice(2).map(Number) as [
  number,
  number,
  number,
  number,
];
const log = createLog('silent');
const ENGINES = ['postgres', 'sqlite'] as const;
const settings = () => ({
  retention_days: 36_500,
  max_records: 100_000_000,
  max_size_mb: 102_400,
  keep_changes_days: 30,
  max_arguments_bytes: 65_536,
  max_response_bytes: 65_536,
  when_unavailable: 'refuse' as const,
});

async function write(activity: Activity, writer: number): Promise<void> {
  const record = activity.open({ ...readDraft(writer), operation_type: 'write' });
  await record.durable();
  await record.close({ status: 'success', response: RESPONSE });
}

async function rate(one: () => (writer: number) => Promise<void>, writers: number): Promise<number> {
  const start = performance.now();
  const end = start + roundMs;
  let n = 0;
  const loop = async (writer: number) => {
    for (; performance.now() < end; n++) await one()(writer);
  };
  await Promise.all(Array.from({ length: writers }, (_, writer) => loop(writer)));
  return (n * 1000) / (performance.now() - start);
}

async function measureAppends(logs: Pair<Activity>): Promise<PostgresReport['appends']> {
  const results: PostgresReport['appends'] = [];
  for (const [kind, run] of [
    ['read', append],
    ['write', write],
  ] as const)
    for (const writers of [1, 8, 64]) {
      const rates: Pair<number[]> = { postgres: [], sqlite: [] };
      for (let i = 0; i < rounds; i++)
        for (const engine of ENGINES)
          rates[engine].push(await rate(() => (writer) => run(logs[engine], writer), writers));
      const perSecond = { postgres: median(rates.postgres), sqlite: median(rates.sqlite) };
      results.push({ writers, kind, perSecond });
    }
  return results;
}

/** One after the other, so that each has the machine to itself. */
async function inTurns(
  logs: Pair<Activity>,
  work: (activity: Activity) => Promise<unknown>,
): Promise<{ p50Ms: Pair<number>; p99Ms: Pair<number> }> {
  const times: Pair<number[]> = { postgres: [], sqlite: [] };
  for (let i = 0; i < pages; i++)
    for (const engine of ENGINES) {
      const start = performance.now();
      await work(logs[engine]);
      times[engine].push(performance.now() - start);
    }
  for (const engine of ENGINES) times[engine].sort((a, b) => a - b);
  const at = (p: number) => ({
    postgres: percentile(times.postgres, p),
    sqlite: percentile(times.sqlite, p),
  });
  return { p50Ms: at(0.5), p99Ms: at(0.99) };
}

async function verified(activity: Activity): Promise<[perSecond: number, verdict: string]> {
  const start = performance.now();
  const { entries, verdict } = await activity.verify();
  return [(entries * 1000) / (performance.now() - start), verdict];
}

const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-bench-'));
const server = await startPostgres({ fsync: true });
const databases: PostgresDatabase[] = [];
async function openOn(clock: { now: () => number }): Promise<{ db: PostgresDatabase; activity: Activity }> {
  const db = await openDatabase({ url: await server.createDatabase(), log });
  databases.push(db);
  return { db, activity: await createPostgresActivity({ db, dataDir: dir, settings, clock, log }) };
}

try {
  const appending = { postgres: await openOn({ now: Date.now }), sqlite: await openBenchLog() };
  const both = { postgres: appending.postgres.activity, sqlite: appending.sqlite.activity };
  await rate(() => (writer) => append(both.postgres, writer), 8);
  const appends = await measureAppends(both);
  await both.postgres.close();
  await appending.sqlite.remove();

  const clock = { time: END, now: () => clock.time };
  const { db, activity } = await openOn(clock);
  await fillLog(activity, records, clock);
  await db.pool.query('VACUUM ANALYZE');
  clock.time = END;
  const file = await filledFile(records);
  const store = await openStore(file, { now: () => END });
  const logs = { postgres: activity, sqlite: store.activity };

  const found: PostgresReport['pages'] = [];
  for (const filter of filters(records)) {
    const { total } = await activity.list(filter, { limit: 50 });
    const times = await inTurns(logs, (each) => each.list(filter, { limit: 50 }));
    found.push({ filter: shown(filter), total, ...times });
  }
  const summaryMs: PostgresReport['summaryMs'] = [];
  for (const period of SummaryPeriod.options)
    summaryMs.push({ period, p99Ms: (await inTurns(logs, (each) => each.summary(period))).p99Ms });
  const [pgRate, pgVerdict] = await verified(activity);
  const [sqliteRate, sqliteVerdict] = await verified(store.activity);
  const { rows } = await db.pool.query<{ bytes: number }>(
    `SELECT sum(pg_total_relation_size(oid)) AS bytes FROM pg_class WHERE relname LIKE 'activity%' AND relkind = 'r'`,
  );
  const { bytes } = store.db.sqlite
    .prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()')
    .get() as { bytes: number };
  const report: PostgresReport = {
    appends,
    records,
    pages: found,
    summaryMs,
    verifyPerSecond: { postgres: pgRate, sqlite: sqliteRate },
    verdicts: { postgres: pgVerdict, sqlite: sqliteVerdict },
    bytesPerRecord: { postgres: rows[0]!.bytes / records, sqlite: bytes / records },
  };
  await activity.close();
  await store.activity.close();
  await store.db.close();
  console.log(JSON.stringify(report));
} finally {
  for (const db of databases) await db.close();
  await server.remove();
  rmSync(dir, { recursive: true, force: true });
}
