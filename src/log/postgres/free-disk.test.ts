import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { draft, openLogOn, type TestLog } from '../../../test/fixtures/activity-log.ts';
import { hasPostgres, newPostgres } from '../../../test/fixtures/engines.ts';
import { openDatabase } from '../../db/database.ts';
import type { PostgresDatabase } from '../../db/postgres/database.ts';
import { createLog } from '../../lib/log.ts';
import { createFreeDisk } from './upkeep/free-disk.ts';

describe.runIf(hasPostgres())('disk of a large log on PostgreSQL', () => {
  let db: PostgresDatabase;
  let log: TestLog<PostgresDatabase>;
  let remove: () => Promise<void>;
  beforeAll(async () => {
    const place = await newPostgres();
    remove = place.remove;
    db = await openDatabase({ url: place.url, log: createLog('silent') });
    log = await openLogOn(db);
  });
  afterAll(async () => {
    await log.remove();
    await db.close();
    await remove();
  });

  const fill = async (count: number) => {
    const text = () => randomBytes(6_000).toString('base64');
    for (let i = 0; i < count; i += 200)
      await Promise.all(
        Array.from({ length: 200 }, (_, n) =>
          log.activity.open(draft({ request_id: `r${i + n}`, arguments: { text: text() } })).close({
            status: 'success',
            response: { text: 'x'.repeat(200) },
          }),
        ),
      );
  };

  const disk = async () => {
    const [tables] = await log.sql<{ bytes: number }>(
      `SELECT sum(pg_total_relation_size(name::regclass))::float8 AS bytes
       FROM unnest(ARRAY['activity', 'activity_text', 'activity_journal']) AS name`,
    );
    return tables!.bytes;
  };

  test('shrinks in slices while calls go on; the log stays intact', async () => {
    await fill(1200);
    log.settings.max_records = 200;
    // Somebody who reads keeps retention from rewriting the tables, which it does where little is left.
    const reader = db.newClient();
    await reader.connect();
    await reader.query('BEGIN; LOCK TABLE activity, activity_text, activity_journal IN ACCESS SHARE MODE');
    await log.activity.sweep();
    await reader.end();
    const before = await disk();
    // A call that is under way holds its row.
    const open = log.activity.open(draft());
    await open.durable();
    const calls = { n: 0, stop: false };
    const writing = (async () => {
      for (; !calls.stop; calls.n++) await log.activity.open(draft()).close({ status: 'success' });
    })();
    const freeDisk = createFreeDisk(db, {
      timesTooLarge: 0,
      minFreed: 0,
      maxRewritten: 0,
      sliceMs: 120_000,
    });
    // A run cannot cut off rows that a call is just writing; retention runs again and again.
    for (let runs = 0; runs < 20 && (runs === 0 || (await disk()) >= before / 2); runs++)
      await freeDisk(3_000_000, new AbortController().signal);
    calls.stop = true;
    await writing;
    await open.close({ status: 'success' });
    const after = await disk();
    expect(after, `${before} bytes before`).toBeLessThan(before / 2);
    expect(calls.n).toBeGreaterThan(0);
    expect(await log.activity.verify()).toMatchObject({ verdict: 'intact', counts: 'agree' });
    const [invalid] = await log.sql<{ n: number }>(
      'SELECT count(*)::int AS n FROM pg_index WHERE NOT indisvalid',
    );
    expect(invalid!.n).toBe(0);
  });

  test.each([
    ['is locked', 'BEGIN; LOCK TABLE activity, activity_text, activity_journal IN ACCESS SHARE MODE'],
    ['is seen by an older transaction', 'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM pg_class'],
  ])('a table that %s is rewritten in a later run', async (_, begin) => {
    log.settings.max_records = 2_000;
    await fill(1200);
    const reader = db.newClient();
    await reader.connect();
    await reader.query(begin);
    log.settings.max_records = 200;
    const freeDisk = createFreeDisk(db, {
      timesTooLarge: 2,
      minFreed: 2_000_000,
      maxRewritten: Number.MAX_SAFE_INTEGER,
      sliceMs: 0,
    });
    await log.activity.sweep();
    const before = await disk();
    const free = () => freeDisk(2_000_000, new AbortController().signal);
    await free();
    expect(await disk()).toBeGreaterThan(before / 2);
    await reader.end();
    for (let runs = 0; runs < 200 && (runs === 0 || (await disk()) >= before / 2); runs++) {
      await free();
      await setTimeout(100);
    }
    expect(await disk()).toBeLessThan(before / 2);
  });
});
