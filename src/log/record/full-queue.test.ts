import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
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
  dir = mkdtempSync(join(tmpdir(), 'full-queue-'));
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
