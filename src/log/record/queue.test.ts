import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { draft } from '../../../test/fixtures/activity-log.ts';
import { openSqliteDatabase, type SqliteDatabase } from '../../db/sqlite/database.ts';
import { createLog } from '../../lib/log.ts';
import { createActivity } from '../log.ts';
import type { Activity } from '../activity.ts';

const log = createLog('silent');
const settings = {
  retention_days: 90,
  max_records: 1_000_000,
  max_size_mb: 1024,
  keep_changes_days: 30,
  max_arguments_bytes: 65_536,
  max_response_bytes: 65_536,
  when_unavailable: 'refuse' as const,
};

let dir: string;
let db: SqliteDatabase;
let activity: Activity;

async function open(maxQueued?: number): Promise<void> {
  db = await openSqliteDatabase({ file: join(dir, 'log.db'), log, ...(maxQueued && { maxQueued }) });
  activity = await createActivity({ db, dataDir: dir, settings: () => settings, clock: Date, log });
}

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'log-queue-'));
});
afterEach(async () => {
  await activity.close();
  await db.close();
  rmSync(dir, { recursive: true });
});

/** More at once than the queue takes; gives how many were told that they are not on disk. */
async function flood(): Promise<number> {
  const records = Array.from({ length: 50 }, (_, n) => activity.open(draft({ request_id: `r${n}` })));
  const told = await Promise.allSettled(records.map((record) => record.close({ status: 'success' })));
  return told.filter(({ status }) => status === 'rejected').length;
}

test('calls that end while the queue of the log is full are recorded as soon as there is room', async () => {
  await open(10);
  expect(await flood()).toBeGreaterThanOrEqual(40);
  await expect.poll(async () => (await activity.list({}, { limit: 1 })).total).toBe(50);
  expect(activity.state()).toMatchObject({ waiting: 0, lost: 0 });
  expect(await activity.verify()).toMatchObject({ verdict: 'intact', records: 50 });
});

test('what waits when the log is closed is tried once more', async () => {
  await open(40);
  expect(await flood()).toBeGreaterThanOrEqual(10);
  await activity.close();
  await db.close();
  await open();
  expect(await activity.list({}, { limit: 1 })).toMatchObject({ total: 50 });
});

/** What the chain says of a record, in order. */
async function kindsOf(id: string): Promise<string[]> {
  const [head] = await activity.facts.heads();
  const entries = await activity.facts.after({ log: head!.log, n: head!.first - 1 }, 100);
  return entries.filter((entry) => entry.id === id).map(({ kind }) => kind);
}

test('a call that ends soon is written once, also when others are written meanwhile; a longer one and a change are written when they begin too', async () => {
  await open();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const [short, long, change] = [1, 2, 3].map((n) => activity.open(draft({ request_id: `r${n}` })));
    await change!.durable();
    await short!.close({ status: 'success' });
    expect(await kindsOf(short!.id)).toEqual(['closed']);
    expect(await kindsOf(long!.id)).toEqual([]);
    vi.advanceTimersByTime(10);
    while ((await kindsOf(long!.id)).length === 0) await new Promise(setImmediate);
    for (const record of [long!, change!]) {
      await record.close({ status: 'success' });
      expect(await kindsOf(record.id)).toEqual(['opened', 'closed']);
    }
  } finally {
    vi.useRealTimers();
  }
  expect(await activity.verify()).toMatchObject({ verdict: 'intact', records: 3 });
});
