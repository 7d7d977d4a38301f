import pino from 'pino';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { draft } from '../../../test/fixtures/activity-log.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Config } from '../../contract/config.ts';
import { openSqliteDatabase } from '../../db/sqlite/database.ts';
import { createLog } from '../../lib/log.ts';
import { CHECKPOINT_FILE, createCheckpointFile, readCheckpoints } from './checkpoint-file.ts';
import type { Checkpoint } from './hash-chain.ts';
import { createActivity } from '../log.ts';

let dir: string;
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'mcpproxy-checkpoints-'))));
afterEach(() => rmSync(dir, { recursive: true }));

const checkpoint = (log: string, n: number): Checkpoint => ({
  log,
  n,
  head: 'h'.repeat(43),
  time: n,
  signature: 's'.repeat(86),
});
const text = () => readFileSync(join(dir, CHECKPOINT_FILE), 'utf8');

test('the file stays short and keeps the newest of each log, also of one that has ended long ago', async () => {
  const file = createCheckpointFile(dir, createLog('silent'), 20_000);
  file.add(checkpoint('old', 7));
  for (let n = 1; n <= 3000; n++) file.add(checkpoint('new', n));
  await file.done();
  const newest = readCheckpoints(text());
  expect([newest.get('old')!.n, newest.get('new')!.n]).toEqual([7, 3000]);
  // 1,001 lines are kept, and as many again may be added before it is shortened once more.
  expect(text().split('\n').length).toBeLessThan(2100);
  expect(statSync(join(dir, CHECKPOINT_FILE)).mode & 0o777).toBe(0o600);

  const again = createCheckpointFile(dir, createLog('silent'), 20_000);
  again.add(checkpoint('new', 3001));
  await again.done();
  expect(text().split('\n').length).toBeLessThan(1100);
  expect(readCheckpoints(text()).get('new')!.n).toBe(3001);
});

test('a file that somebody has changed is not shortened: verify shall see it', async () => {
  writeFileSync(join(dir, CHECKPOINT_FILE), 'nonsense\n');
  const file = createCheckpointFile(dir, createLog('silent'), 1000);
  for (let n = 1; n <= 50; n++) file.add(checkpoint('new', n));
  await file.done();
  expect(text().startsWith('nonsense\n')).toBe(true);
  expect(text().split('\n')).toHaveLength(52);
});

/** Starts, records something and stops; gives the warnings of it. */
async function run(): Promise<string[]> {
  const warnings: string[] = [];
  const log = pino(
    { level: 'warn' },
    { write: (line: string) => void warnings.push((JSON.parse(line) as { msg: string }).msg) },
  );
  const settings = Config.parse({}).activity;
  const db = await openSqliteDatabase({ file: join(dir, 'mcpproxy.db'), log });
  const activity = await createActivity({ db, dataDir: dir, settings: () => settings, clock: Date, log });
  await activity.open(draft()).close({ status: 'success' });
  await activity.close();
  await db.close();
  return warnings;
}

test('a log that is whole starts without a word', async () => {
  for (let i = 0; i < 3; i++) expect(await run()).toEqual([]);
});

test('a database that was deleted is told of at the start, where the checkpoints are still there', async () => {
  await run();
  for (const name of readdirSync(dir)) if (name.startsWith('mcpproxy.db')) rmSync(join(dir, name));
  expect(await run()).toEqual([
    expect.stringMatching(
      /^log \w+ with \d+ acknowledged entries is missing: the database was deleted.*run mcpproxy activity verify$/,
    ),
  ]);
});
