import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createActivity } from '../src/log/log.ts';
import type { Activity } from '../src/log/activity.ts';
import type { RecordDraft } from '../src/log/record/record.ts';
import type { ActivityStatus } from '../src/contract/activity.ts';
import type { OperationType } from '../src/contract/operation.ts';
import { openDatabase } from '../src/db/database.ts';
import type { SqliteDatabase } from '../src/db/sqlite/database.ts';
import { createLog } from '../src/lib/log.ts';

/** Thirty days of calls, the same on every run. They end at a fixed time, as does the clock of the reader. */
export const END = Date.UTC(2026, 8, 30);
const SPAN = 30 * 86_400_000;
/** Rarely used, and only in the first hundredth of the time: the worst case for a scan from the newest. */
export const RARE = { server: 'archive', tool: 'purge_vault', word: 'zirconium' };

const VERBS = ['get', 'list', 'search', 'read', 'create', 'update', 'send', 'delete'];
const THINGS = ['issue', 'file', 'message', 'invoice', 'page'];
const WORDS =
  'report summer budget login database customer refund release branch pipeline meeting invoice contract photo garden'.split(
    ' ',
  );

export interface Store {
  db: SqliteDatabase;
  activity: Activity;
}

export async function openStore(file: string, clock: { now: () => number }): Promise<Store> {
  const log = createLog('silent');
  const db = await openDatabase({ file, log });
  const settings = () => ({
    retention_days: 36_500,
    max_records: 1_000_000_000,
    max_size_mb: 1_048_576,
    keep_changes_days: 30,
    max_arguments_bytes: 65_536,
    max_response_bytes: 65_536,
    when_unavailable: 'refuse' as 'refuse' | 'allow_reads',
  });
  return {
    db,
    activity: await createActivity({ db, dataDir: keyDir(), settings, clock, log }),
  };
}

/** The file is kept between runs, and so is the key that signs it. */
function keyDir(): string {
  const dir = join(tmpdir(), 'mcpproxy-bench-activity-key');
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  return dir;
}

/** Filling takes a minute or two, so the file is kept in the temporary directory until something else would be stored. */
export async function filledFile(records: number): Promise<string> {
  const file = join(tmpdir(), `mcpproxy-bench-activity-${records}-${await formatHash()}.db`);
  if (existsSync(file)) return file;
  removeOlder(`mcpproxy-bench-activity-${records}-`);
  const partial = `${file}.${process.pid}`;
  try {
    await fill(partial, records);
    renameSync(partial, file);
  } finally {
    for (const suffix of ['', '-wal', '-shm']) rmSync(partial + suffix, { force: true });
  }
  return file;
}

/** Half a gigabyte each, so outdated files are deleted. */
function removeOlder(prefix: string): void {
  for (const name of readdirSync(tmpdir()))
    if (name.startsWith(prefix)) rmSync(join(tmpdir(), name), { force: true });
}

/** A hash of the reproducible part of a small log. */
async function formatHash(): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-bench-format-'));
  try {
    const clock = { time: 0, now: () => clock.time };
    const { db, activity } = await openStore(join(dir, 'activity.db'), clock);
    await fillLog(activity, 300, clock);
    await activity.list({ q: 'report' }, { limit: 1 });
    const hash = createHash('sha256');
    for (const sql of STORED) hash.update(JSON.stringify(db.sqlite.prepare(sql).all()));
    await activity.close();
    await db.close();
    return hash.digest('hex').slice(0, 12);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Without ids, salts, digests and how long it took. */
const STORED = [
  `SELECT sql FROM sqlite_master WHERE name LIKE 'activity%' ORDER BY name`,
  `SELECT seq, facet_id, ts, request_id, session_id, client, server_name, tool_name, error_code, error_message, response_truncated,
     metadata, arguments, response, length(id), length(salt) FROM activity ORDER BY seq`,
  `SELECT pos, seq, length(entry), length(hash) FROM activity_journal ORDER BY pos`,
  'SELECT * FROM activity_facet ORDER BY id',
  'SELECT * FROM activity_count ORDER BY level, facet_id, bucket',
  'SELECT * FROM activity_bucket ORDER BY level, first_seq',
  'SELECT * FROM activity_minute ORDER BY at',
  'SELECT * FROM activity_hour ORDER BY at',
  `SELECT id, length(block) FROM activity_text_data WHERE id > 10 ORDER BY id`,
];

async function fill(file: string, records: number): Promise<void> {
  const clock = { time: 0, now: () => clock.time };
  const { db, activity } = await openStore(file, clock);
  // The store's own recorder writes every record; only waiting for the disk each time is left out.
  db.sqlite.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -500000; PRAGMA wal_autocheckpoint = 50000');
  await fillLog(activity, records, clock);
  // A search brings the text index up to date.
  await activity.list({ q: 'report' }, { limit: 1 });
  await activity.close();
  // The file is moved without its write-ahead log.
  db.sqlite.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  await db.close();
}

/** With the log's own recorder and a clock that runs through the thirty days. */
export async function fillLog(activity: Activity, records: number, clock: { time: number }): Promise<void> {
  for (let i = 0; i < records;) {
    const group: Promise<void>[] = [];
    for (const stop = Math.min(records, i + 1000); i < stop; i++) {
      clock.time = END - SPAN + Math.floor((i / records) * SPAN);
      const { draft, status } = synthetic(i, i < records / 100);
      const error =
        status === 'success'
          ? {}
          : { error_code: 'UPSTREAM_FAILED', error_message: `the ${word(i)} was not found` };
      group.push(
        activity.open(draft).close({
          status,
          response: { content: [{ type: 'text', text: `${word(i)} ${word(i + 7)} done` }] },
          ...error,
        }),
      );
    }
    await Promise.all(group);
  }
}

/** A hash of a running number. */
function mixed(i: number, salt: number): number {
  const h = Math.imul(i ^ (salt * 0x9e3779b1), 0x85ebca6b);
  return (Math.imul(h ^ (h >>> 13), 0xc2b2ae35) ^ (h >>> 16)) >>> 0;
}

const word = (i: number) => WORDS[mixed(i, 5) % WORDS.length]!;

interface Target {
  server: string;
  tool: string;
  operation: OperationType;
}

/** Squared, so that some servers and tools see far more calls than others. */
const skewed = (i: number, salt: number) => (mixed(i, salt) / 2 ** 32) ** 2;

function targetOf(i: number): Target {
  const verb = Math.floor(skewed(i, 2) * VERBS.length);
  return {
    server: `server-${Math.floor(skewed(i, 1) * 20)}`,
    tool: `${VERBS[verb]}_${THINGS[mixed(i, 3) % THINGS.length]}`,
    operation: verb === 7 ? 'destructive' : verb > 3 ? 'write' : 'read',
  };
}

function statusOf(i: number): ActivityStatus {
  const luck = mixed(i, 4) % 100;
  if (luck < 92) return 'success';
  if (luck < 96) return 'error';
  return luck < 99 ? 'refused' : 'unknown';
}

function synthetic(i: number, early: boolean): { draft: RecordDraft; status: ActivityStatus } {
  const rare = early && i % 500 === 0;
  const { server, tool, operation }: Target = rare ? { ...RARE, operation: 'destructive' } : targetOf(i);
  const discovery = !rare && i % 20 === 0;
  return {
    status: statusOf(i),
    draft: {
      ...(discovery ? { type: 'discovery' } : { type: 'tool_call', server_name: server, tool_name: tool }),
      source: i % 10 === 1 ? 'cli' : 'mcp',
      arguments: {
        title: `${word(i)} ${word(i + 1)} ${word(i + 2)}`,
        id: i,
        ...(rare && { note: RARE.word }),
      },
      request_id: `request-${i}`,
      session_id: `session-${Math.floor(i / 200)}`,
      client: 'bench 1.0.0',
      operation_type: operation,
      metadata: {
        tool_variant: `call_tool_${operation}`,
        intent: { operation_type: operation, reason: `to check the ${word(i + 3)} of the ${word(i + 4)}` },
      },
    },
  };
}
