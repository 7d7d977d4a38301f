import type { Activity } from '../src/log/activity.ts';
import { append, openBenchLog } from './activity-store.ts';
import { openRaw, RAW_KINDS, sampleOf, type RawKind, type RawWriter } from './raw-sqlite.ts';
import { median } from './statistics.ts';

// Durable appends beside raw SQLite with the same sync level, in turns; then what many records cost. Prints JSON.
// usage: activity-log.js ROUNDS ROUND_MS RECORDS

export interface Rate {
  /** Records per second, each durable before its writer goes on. */
  perSecond: number;
  cpuUs: number;
}

export interface AppendResult {
  writers: number;
  log: Rate;
  raw: Record<RawKind, Rate>;
}

export interface LogResult {
  appends: AppendResult[];
  records: number;
  verifyPerSecond: number;
  verifyCpuUs: number;
  verdict: string;
  /** The longest time that the event loop was held up while the log was verified. */
  verifyHeldMs: number;
  bytesPerRecord: number;
  rssMb: number;
}

const [rounds, roundMs, records] = process.argv.slice(2).map(Number) as [number, number, number];
const KINDS = Object.keys(RAW_KINDS) as RawKind[];

async function timed(work: (end: number) => Promise<number>): Promise<Rate> {
  const [start, cpu] = [performance.now(), process.cpuUsage()];
  const n = await work(start + roundMs);
  const { user, system } = process.cpuUsage(cpu);
  return { perSecond: (n * 1000) / (performance.now() - start), cpuUs: (user + system) / n };
}

const logRate = (activity: Activity, writers: number) =>
  timed(async (end) => {
    let n = 0;
    const loop = async (writer: number) => {
      for (; performance.now() < end; n++) await append(activity, writer);
    };
    await Promise.all(Array.from({ length: writers }, (_, writer) => loop(writer)));
    return n;
  });

const rawRate = (raw: RawWriter, writers: number) =>
  timed(async (end) => {
    let n = 0;
    for (; performance.now() < end; n += writers) {
      raw.commit(writers);
      await new Promise(setImmediate);
    }
    return n;
  });

const medianRate = (rates: Rate[]): Rate => ({
  perSecond: median(rates.map(({ perSecond }) => perSecond)),
  cpuUs: median(rates.map(({ cpuUs }) => cpuUs)),
});

async function measureAppends(
  activity: Activity,
  raws: Map<RawKind, RawWriter>,
  writers: number,
): Promise<AppendResult> {
  const log: Rate[] = [];
  const raw = new Map(KINDS.map((kind) => [kind, [] as Rate[]]));
  for (let i = 0; i < rounds; i++) {
    for (const kind of KINDS) raw.get(kind)!.push(await rawRate(raws.get(kind)!, writers));
    log.push(await logRate(activity, writers));
  }
  const medians = KINDS.map((kind) => [kind, medianRate(raw.get(kind)!)] as const);
  return { writers, log: medianRate(log), raw: Object.fromEntries(medians) as Record<RawKind, Rate> };
}

/** How long others had to wait, at most, while something went on. */
function watchLoop(): () => number {
  let [longest, last] = [0, performance.now()];
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 1);
  return () => {
    clearInterval(timer);
    return Math.max(longest, performance.now() - last);
  };
}

const bench = await openBenchLog();
try {
  const { activity, db, dir } = bench;
  await logRate(activity, 8);
  const sample = sampleOf(db);
  const raws = new Map(KINDS.map((kind) => [kind, openRaw(dir, kind, sample)]));
  const appends: AppendResult[] = [];
  for (const writers of [1, 8, 64]) appends.push(await measureAppends(activity, raws, writers));
  for (const raw of raws.values()) raw.close();

  for (let { records: n } = await activity.stats(); n < records; n += 256)
    await Promise.all(Array.from({ length: 256 }, (_, writer) => append(activity, writer)));
  const rssMb = process.memoryUsage().rss / 1_048_576;
  await activity.checkpoint();
  const held = watchLoop();
  const [start, cpu] = [performance.now(), process.cpuUsage()];
  const { entries, verdict } = await activity.verify();
  const used = process.cpuUsage(cpu);
  const seconds = (performance.now() - start) / 1000;
  const verifyHeldMs = held();
  const stats = await activity.stats();
  await activity.list({ q: 'measure' }, { limit: 1 });
  const { bytes } = db.sqlite
    .prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()')
    .get() as { bytes: number };
  const result: LogResult = {
    appends,
    records: stats.records,
    verifyPerSecond: entries / seconds,
    verifyCpuUs: (used.user + used.system) / entries,
    verdict,
    verifyHeldMs,
    bytesPerRecord: bytes / stats.records,
    rssMb,
  };
  console.log(JSON.stringify(result));
} finally {
  await bench.remove();
}
