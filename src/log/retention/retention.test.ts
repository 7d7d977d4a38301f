import { setTimeout } from 'node:timers/promises';
import { randomBytes } from 'node:crypto';
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

  test('frees disk: the room of what was removed goes back to the system', async () => {
    const text = () => randomBytes(20_000).toString('hex');
    await fill(600, () => ({ arguments: { path: '/tmp/a', text: text() } }));
    const disk = async () => {
      if (log.db.engine === 'sqlite') {
        log.db.sqlite.exec('PRAGMA wal_checkpoint(TRUNCATE)');
        return statSync(log.db.file).size;
      }
      const [tables] = await log.sql<{ bytes: number }>(
        `SELECT sum(pg_total_relation_size(c.oid))::float8 AS bytes FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
         WHERE nspname = current_schema() AND relkind = 'r' AND relname LIKE 'activity%'`,
      );
      return tables!.bytes;
    };
    expect(await disk()).toBeGreaterThan(24_000_000);
    log.settings.max_records = 50;
    // A transaction in the background keeps the removed rows on disk; retention frees them in a later run.
    for (let runs = 0; runs < 200 && (runs === 0 || (await disk()) >= 8_000_000); runs++) {
      await log.activity.sweep();
      await setTimeout(100);
    }
    expect((await log.activity.stats()).records).toBe(50);
    expect(await disk()).toBeLessThan(8_000_000);
    await expectTrueCounts();
  });

  test('keeps the write-ahead log short, also where kept and removed records lie side by side', async () => {
    if (log.db.engine !== 'sqlite') return;
    const text = 'x'.repeat(40_000);
    await fill(900, (index) =>
      index % 3 > 0 ? { arguments: { text } } : { ...change(`c${index}`), arguments: { text } },
    );
    log.db.sqlite.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    expect(statSync(log.db.file).size).toBeGreaterThan(30_000_000);
    log.settings.max_records = 450;
    await log.activity.sweep();
    expect((await log.activity.stats()).records).toBe(450);
    // The file keeps the greatest length that it had.
    expect(statSync(`${log.db.file}-wal`).size).toBeLessThan(8_000_000);
    expect(await log.activity.verify()).toMatchObject({ verdict: 'intact', records: 450 });
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

  const change = (request_id: string, fields: Parameters<typeof draft>[0] = {}) =>
    draft({ tool_name: 'delete_file', operation_type: 'destructive', request_id, ...fields });
  const idsOf = async (filter: Parameters<typeof log.activity.list>[0] = {}) =>
    (await log.activity.list(filter, { limit: 100 })).records.map((record) => record.request_id);

  test('a flood of reads cannot flush out changes and decisions: the oldest reads go first', async () => {
    for (const [index, status] of (['success', 'error', 'unknown', 'denied'] as const).entries())
      await log.activity.open(change(`change-${index}`)).close({ status });
    await log.activity.open(draft({ type: 'decision', request_id: 'decision' })).close({ status: 'success' });
    await log.activity
      .open(draft({ type: 'config_change', request_id: 'config' }))
      .close({ status: 'success' });
    const warned = draft({ request_id: 'change-called-as-read' });
    warned.metadata = { ...warned.metadata, operation: { verdict: 'destructive' } };
    await log.activity.open(warned).close({ status: 'success' });
    await fill(1500, (index) => ({ request_id: `read-${index}` }));
    log.settings.max_records = 250;
    await log.activity.sweep();
    const kept = [
      'change-called-as-read',
      'change-0',
      'change-1',
      'change-2',
      'change-3',
      'decision',
      'config',
    ];
    expect((await log.activity.stats()).records).toBe(250);
    for (const id of kept) expect([id, await idsOf({ request_id: id })]).toEqual([id, [id]]);
    expect(await idsOf({ request_id: 'read-1499' })).toEqual(['read-1499']);
    await expectTrueCounts();
    // Once more: what was kept is at the end of the chain now, and is kept again.
    await fill(1500);
    await log.activity.sweep();
    for (const id of kept) expect([id, await idsOf({ request_id: id })]).toEqual([id, [id]]);
    await expectTrueCounts();
    await log.restart();
    await expectTrueCounts();
    expect(log.activity.state().over_limit).toBeUndefined();
  });

  test('refused changes and bad requests go after the reads and before the changes', async () => {
    for (let i = 0; i < 60; i++) {
      await log.activity.open(change(`refused-${i}`)).close({ status: 'refused' });
      await log.activity.open(draft({ type: 'bad_request', request_id: 'bad' })).close({ status: 'refused' });
      await log.activity.open(change(`change-${i}`)).close({ status: 'success' });
    }
    await fill(100, () => ({ request_id: 'read' }));
    log.settings.max_records = 180;
    await log.activity.sweep();
    expect(await idsOf({ request_id: 'read' })).toEqual([]);
    expect(await log.activity.list({ status: 'refused' }, { limit: 1 })).toMatchObject({ total: 120 });
    log.settings.max_records = 100;
    await log.activity.sweep();
    expect(await log.activity.list({ status: 'refused' }, { limit: 1 })).toMatchObject({ total: 40 });
    expect(
      await log.activity.list({ intent_type: 'destructive', status: 'success' }, { limit: 1 }),
    ).toMatchObject({
      total: 60,
    });
    await expectTrueCounts();
  });

  test('a log whose changes are all younger than keep_changes_days stays over its limit and reports it', async () => {
    await fill(300, (index) => change(`change-${index}`));
    await fill(10);
    log.settings.max_records = 100;
    log.clock.time += (log.settings.keep_changes_days - 1) * DAY;
    await log.activity.sweep();
    expect((await log.activity.stats()).records).toBeGreaterThanOrEqual(240);
    const { over_limit: over } = log.activity.state();
    expect(over!.records).toBe((await log.activity.stats()).records - 100);
    await expectTrueCounts();
    log.clock.time += 32 * DAY;
    await log.activity.sweep();
    expect((await log.activity.stats()).records).toBe(100);
    expect(log.activity.state().over_limit).toBeUndefined();
    await expectTrueCounts();
  });

  test('a kept change goes by age too: its content at once, the rest with its place in the chain', async () => {
    await log.activity.open(change('old')).close({ status: 'success', response: { secret: 'tmp' } });
    log.clock.time += 20 * DAY;
    await fill(400);
    log.settings.max_records = 100;
    await log.activity.sweep();
    expect(await idsOf({ request_id: 'old' })).toEqual(['old']);
    log.clock.time += 71 * DAY;
    await log.activity.sweep();
    const { records } = await log.activity.list({ request_id: 'old' }, { limit: 1 });
    expect(records[0]).toMatchObject({ metadata: { redacted: { by: 'retention' } } });
    expect(records[0]!.response).toBeUndefined();
    expect(await log.activity.verify()).toMatchObject({ verdict: 'intact' });
    log.clock.time += 20 * DAY;
    await log.activity.sweep();
    expect((await log.activity.stats()).records).toBe(0);
    expect(await log.activity.verify()).toMatchObject({ verdict: 'intact', records: 0 });
  });

  test('retention stops and reports an error where a record was changed', async () => {
    await log.activity.open(change('changed')).close({ status: 'success' });
    await fill(400);
    await log.sql(`UPDATE activity SET arguments = '{"path":"/tmp/other"}' WHERE request_id = 'changed'`);
    log.settings.max_records = 100;
    await expect(log.activity.sweep()).rejects.toThrow(
      /Retention stopped, because record .* is not what was recorded/,
    );
    expect(await log.activity.verify()).toMatchObject({ verdict: 'broken' });
  });

  test('a change that runs while the beginning goes is closed as usual', async () => {
    const running = log.activity.open(change('running'));
    await running.durable();
    await fill(400);
    log.settings.max_records = 100;
    await log.activity.sweep();
    await running.close({ status: 'success' });
    expect(await idsOf({ request_id: 'running', status: 'success' })).toEqual(['running']);
    await expectTrueCounts();
  });
});
