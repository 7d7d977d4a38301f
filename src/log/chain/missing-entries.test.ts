import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { draft } from '../../../test/fixtures/activity-log.ts';
import { Config } from '../../contract/config.ts';
import { openSqliteDatabase } from '../../db/sqlite/database.ts';
import { createActivity } from '../log.ts';

let dir: string;
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'mcpproxy-missing-'))));
afterEach(() => rmSync(dir, { recursive: true }));

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
      /^the activity log has fewer entries than its last checkpoint names .*run mcpproxy activity verify$/,
    ),
  ]);
});
