import { statSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { draft, eachLog, type TestLog } from '../../../test/fixtures/activity-log.ts';

const DAY = 86_400_000;
let log: TestLog;

async function fill(
  count: number,
  fields: (index: number) => Parameters<typeof draft>[0] = () => ({}),
): Promise<void> {
  for (let i = 0; i < count; i += 100) {
    const some = Array.from({ length: Math.min(100, count - i) }, (_, k) =>
      log.activity.open(draft(fields(i + k))).close({ status: (i + k) % 5 === 0 ? 'refused' : 'success' }),
    );
    await Promise.all(some);
  }
}

/** What is counted, against what is there, and what the chain says of it. */
async function expectTrueCounts(): Promise<void> {
  const { verdict, records } = await log.activity.verify();
  expect([verdict, records]).toEqual(['intact', (await log.activity.stats()).records]);
  const counted = await log.sql(
    'SELECT facet_id, count(*) AS n FROM activity GROUP BY facet_id ORDER BY facet_id',
  );
  const kept =
    log.engine === 'sqlite'
      ? ['activity_count WHERE level = 0', 'activity_count WHERE level = 1']
      : ['activity_count_hour', 'activity_count_day', 'activity_count_all'];
  for (const where of kept) {
    const sums = await log.sql(
      `SELECT facet_id, sum(n) AS n FROM ${where} GROUP BY facet_id HAVING sum(n) <> 0 ORDER BY facet_id`,
    );
    expect([where, sums]).toEqual([where, counted]);
  }
  const count = async (sql: string) =>
    (await log.sql<{ n: number }>(`SELECT count(*) AS n FROM ${sql}`))[0]!.n;
  const n = await count('activity');
  expect((await log.activity.stats()).records).toBe(n);
  if (log.engine === 'sqlite')
    expect(await count(`activity_text WHERE activity_text MATCH 'tmp'`)).toBe(
      await count(`activity WHERE seq <= (SELECT value FROM activity_state WHERE key = 'indexed_to')`),
    );
  else expect(await count(`activity_text WHERE words @@ 'tmp'`)).toBe(n);
}

eachLog('retention', (open) => {
  beforeEach(async () => {
    log = await open();
  });
  afterEach(() => log.remove());

  test('by age: what is older than the limit goes, with its counts and its words', async () => {
    await fill(700);
    log.clock.time += 10 * DAY;
    await fill(300);
    await log.activity.list({ q: 'tmp' }, { limit: 1 });
    log.clock.time += 85 * DAY;
    expect(await log.activity.sweep()).toBe(700);
    expect(await log.activity.list({ q: 'tmp' }, { limit: 1 })).toMatchObject({ total: 300 });
    await expectTrueCounts();
    expect(await log.activity.sweep()).toBe(0);
    await log.restart();
    await expectTrueCounts();
  });

  test('by number: the newest are kept', async () => {
    await fill(1000, (index) => ({ request_id: `r${index}` }));
    await log.activity.list({ q: 'tmp' }, { limit: 1 });
    log.settings.max_records = 250;
    expect(await log.activity.sweep()).toBe(750);
    const { records, total } = await log.activity.list({}, { limit: 100 });
    expect(total).toBe(250);
    expect(records[0]!.request_id).toBe('r999');
    expect(await log.activity.list({ request_id: 'r749' }, { limit: 1 })).toMatchObject({ total: 0 });
    expect(await log.activity.list({ request_id: 'r750' }, { limit: 1 })).toMatchObject({ total: 1 });
    await expectTrueCounts();
  });

  test('by size: the file shrinks to the limit', async () => {
    await fill(400, () => ({ arguments: { path: '/tmp/a', text: 'x'.repeat(50_000) } }));
    await log.activity.list({ q: 'tmp' }, { limit: 1 });
    log.settings.max_size_mb = 10;
    expect(await log.activity.sweep()).toBeGreaterThan(100);
    if (log.db.engine === 'sqlite') {
      log.db.sqlite.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      expect(statSync(log.db.file).size).toBeLessThan(11 * 1_048_576);
    } else {
      // The server gives room back in its own time; what counts is how much the records hold.
      const [held] = await log.sql<{ bytes: number }>('SELECT sum(length(arguments)) AS bytes FROM activity');
      const [kept] = await log.sql<{ bytes: number }>('SELECT sum(bytes) AS bytes FROM activity_size');
      expect(held!.bytes).toBeLessThan(10 * 1_048_576);
      expect(kept!.bytes).toBeGreaterThan(held!.bytes);
    }
    expect((await log.activity.stats()).records).toBeGreaterThan(50);
    await expectTrueCounts();
  });

  test('a call that is running while its record goes can still end', async () => {
    const running = log.activity.open(draft());
    await running.durable();
    await fill(100);
    log.settings.max_records = 50;
    await log.activity.sweep();
    expect(await log.activity.get(running.id)).toBeUndefined();
    await expect(running.close({ status: 'success' })).resolves.toBeUndefined();
    expect((await log.activity.stats()).records).toBe(50);
    expect(await log.activity.verify()).toMatchObject({ verdict: 'intact', records: 50 });
  });

  test('what retention leaves in place of the beginning cannot be taken away, exchanged or made up', async () => {
    await fill(600);
    log.settings.max_records = 300;
    await log.activity.sweep();
    await log.activity.checkpoint();
    expect(await log.activity.verify()).toMatchObject({ verdict: 'intact', records: 300 });
    const base = (await log.sql<{ base: string }>('SELECT base FROM activity_log'))[0]!.base;
    expect(JSON.parse(base)).toMatchObject({
      records: 300,
      n: expect.any(Number),
      signature: expect.any(String),
    });
    for (const forged of [
      null,
      base.replace(/"records":300/, '"records":301'),
      base.replace(/"n":\d+/, '"n":1'),
    ]) {
      await log.sql('UPDATE activity_log SET base = ?', forged);
      expect((await log.activity.verify()).verdict).toBe('broken');
    }
    await log.sql('UPDATE activity_log SET base = ?', base);
    expect((await log.activity.verify()).verdict).toBe('intact');
  });

  test('calls go on while much is removed', async () => {
    await fill(3000);
    log.settings.max_records = 100;
    const sweeping = log.activity.sweep();
    await fill(200);
    await sweeping;
    await log.activity.sweep();
    expect((await log.activity.stats()).records).toBe(100);
    await expectTrueCounts();
  });
});
