import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { createActivity, type Activity } from '../src/activity/activity.ts';
import { openDatabase } from '../src/db/database.ts';
import { systemClock } from '../src/lib/clock.ts';
import { newId } from '../src/lib/ids.ts';
import { createLog } from '../src/lib/log.ts';
import { median } from './statistics.ts';

// Durable appends beside raw SQLite with the same sync level, in turns; then what many records cost. Prints JSON.
// usage: activity-log.js ROUNDS ROUND_MS RECORDS

export interface AppendResult {
  writers: number;
  /** Rows per second: one prepared insert of the same bytes per writer and transaction, WAL, synchronous = FULL. */
  raw: number;
  /** Records per second, opened and closed, each durable before its writer goes on. */
  log: number;
}

export interface LogResult {
  appends: AppendResult[];
  records: number;
  verifyPerSecond: number;
  verifyCpuPerSecond: number;
  verdict: string;
  bytesPerRecord: number;
  rssMb: number;
}

const [rounds, roundMs, records] = process.argv.slice(2).map(Number) as [number, number, number];
const RESPONSE = { content: [{ type: 'text', text: 'Echo: the quick brown fox jumps over the lazy dog' }] };

async function append(activity: Activity, writer: number): Promise<void> {
  const record = activity.open({
    type: 'tool_call',
    source: 'mcp',
    server_name: 'echo',
    tool_name: `tool_${writer % 8}`,
    arguments: { message: 'the quick brown fox jumps over the lazy dog', count: 3 },
    request_id: newId(),
    session_id: `session-${writer}`,
    client: 'bench 1.0',
    operation_type: 'read',
    metadata: { tool_variant: 'call_tool_read', intent: { operation_type: 'read', reason: 'measure' } },
  });
  await record.close({ status: 'success', response: RESPONSE });
}

async function logRate(activity: Activity, writers: number): Promise<number> {
  const end = performance.now() + roundMs;
  const start = performance.now();
  let n = 0;
  const loop = async (writer: number) => {
    for (; performance.now() < end; n++) await append(activity, writer);
  };
  await Promise.all(Array.from({ length: writers }, (_, writer) => loop(writer)));
  return (n * 1000) / (performance.now() - start);
}

/** The bytes of a record of ours, in one table. */
function rawWriter(sqlite: InstanceType<typeof DatabaseSync>): (writers: number) => Promise<number> {
  sqlite.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000; CREATE TABLE t (id INTEGER PRIMARY KEY, body TEXT)',
  );
  const insert = sqlite.prepare('INSERT INTO t (body) VALUES (?)');
  const [begin, commit] = [sqlite.prepare('BEGIN IMMEDIATE'), sqlite.prepare('COMMIT')];
  const body = 'x'.repeat(600);
  return async (writers) => {
    const end = performance.now() + roundMs;
    const start = performance.now();
    let n = 0;
    while (performance.now() < end) {
      begin.run();
      for (let i = 0; i < writers; i++, n++) insert.run(body);
      commit.run();
      await new Promise(setImmediate);
    }
    return (n * 1000) / (performance.now() - start);
  };
}

const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-bench-'));
const log = createLog('silent');
const settings = () => ({
  retention_days: 90,
  max_records: 100_000_000,
  max_size_mb: 102_400,
  max_response_bytes: 65_536,
  when_unavailable: 'refuse' as const,
});
try {
  const db = await openDatabase({ file: join(dir, 'activity.db'), log });
  const activity = await createActivity({
    db,
    dataDir: dir,
    settings,
    clock: systemClock,
    log,
  });
  // A statement does not keep its database alive; this does.
  const rawFile = new DatabaseSync(join(dir, 'raw.db'));
  const raw = rawWriter(rawFile);
  await logRate(activity, 8);
  const appends: AppendResult[] = [];
  for (const writers of [1, 8, 64]) {
    const [rawRates, logRates]: [number[], number[]] = [[], []];
    for (let i = 0; i < rounds; i++) {
      rawRates.push(await raw(writers));
      logRates.push(await logRate(activity, writers));
    }
    appends.push({ writers, raw: median(rawRates), log: median(logRates) });
  }
  for (let { records: n } = await activity.stats(); n < records; n += 256)
    await Promise.all(Array.from({ length: 256 }, (_, writer) => append(activity, writer)));
  const rssMb = process.memoryUsage().rss / 1_048_576;
  await activity.checkpoint();
  const [start, cpu] = [performance.now(), process.cpuUsage()];
  const { entries, verdict } = await activity.verify();
  const used = process.cpuUsage(cpu);
  const seconds = (performance.now() - start) / 1000;
  const stats = await activity.stats();
  await activity.list({ q: 'measure' }, { limit: 1 });
  const { bytes } = db.sqlite
    .prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()')
    .get() as { bytes: number };
  const result: LogResult = {
    appends,
    records: stats.records,
    verifyPerSecond: entries / seconds,
    verifyCpuPerSecond: (entries * 1e6) / (used.user + used.system),
    verdict,
    bytesPerRecord: bytes / stats.records,
    rssMb,
  };
  console.log(JSON.stringify(result));
  rawFile.close();
  await activity.close();
  await db.close();
} finally {
  rmSync(dir, { recursive: true, force: true });
}
