import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { draft, openLogOn, untilWritable, type TestLog } from '../../../test/fixtures/activity-log.ts';
import { hasPostgres } from '../../../test/fixtures/engines.ts';
import { startPostgres, type PostgresServer } from '../../../test/fixtures/postgres-server.ts';
import { openDatabase } from '../../db/database.ts';
import type { PostgresDatabase } from '../../db/postgres/database.ts';
import { createLog } from '../../lib/log.ts';
import type { OpenRecord } from '../record/record.ts';

const { verifySealed } = (await import(
  new URL('../../../tools/verify-sealed.mjs', import.meta.url).href
)) as { verifySealed: (args: string[]) => Promise<{ code: number; said: string }> };

const LONG = { timeout: 280_000, interval: 50 };
/** A tool that nobody used before the copy was taken, so that its facet is lost too. */
const LATE = { tool_name: 'late_tool' };

describe.skipIf(!hasPostgres())('a database server that fails over', () => {
  let server: PostgresServer;
  let db: PostgresDatabase;
  let dir: string;
  let url: string;
  let log: TestLog;

  beforeAll(async () => void (server = await startPostgres()));
  afterAll(() => server.remove());
  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'mcpproxy-failover-'));
    url = await server.createDatabase();
    await start();
    await add(4);
  });
  afterEach(async () => {
    await stop();
    rmSync(dir, { recursive: true, force: true });
  });

  async function start(): Promise<void> {
    db = await openDatabase({ url, log: createLog('silent') });
    log = await openLogOn(db, dir);
  }
  async function stop(): Promise<void> {
    await log.activity.close();
    await db.close();
  }
  const rollback = () => log.activity.state().rollback;
  const records = async () => (await log.activity.stats()).records;
  async function add(count: number, fields = {}): Promise<void> {
    for (let i = 0; i < count; i++) await log.activity.open(draft(fields)).close({ status: 'success' });
  }
  /** Takes the copy that a standby has, and gives the number of its records. The proxy is connected again. */
  async function standby(): Promise<number> {
    const has = await records();
    await server.keepCopy('standby');
    await untilWritable(log);
    return has;
  }
  /** As the door for it does: the record of the acceptance, then the acceptance. */
  async function accept(): Promise<void> {
    const metadata = {
      action: 'accept_restore',
      missing_entries: rollback()!.missing,
      principal: 'operator',
    };
    const record = log.activity.open(draft({ type: 'config_change', metadata }));
    await record.durable();
    await log.activity.acceptRestore();
    await record.close({ status: 'success' });
    await log.activity.checkpoint();
  }
  async function exportVerdict() {
    const lines: string[] = [];
    for await (const line of log.activity.sealed()) lines.push(line);
    const file = join(dir, 'sealed.jsonl');
    writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
    return verifySealed([file, '--public-key', join(dir, 'activity-key.pub')]);
  }

  test('what it had acknowledged is noticed as missing at once, written again from memory, and named until it is accepted', async () => {
    const kept = await standby();
    await add(370, LATE);
    const closed = await records();
    const running: OpenRecord = log.activity.open(draft(LATE));
    await running.durable();
    await server.failOver('standby', 'old');

    // Nobody calls anything: the proxy looks by itself.
    await expect.poll(() => rollback()?.logs[0]?.restored, LONG).toBe(closed - kept);
    const { reason, missing } = rollback()!;
    expect(reason).toContain('the database has lost what it had acknowledged');
    expect(missing).toBeGreaterThan(closed - kept);
    await expect.poll(records, LONG).toBe(closed + 1);
    await running.close({ status: 'success', response: { ended: 'after the failover' } });
    expect(await log.activity.get(running.id)).toMatchObject({
      status: 'success',
      response: { ended: 'after the failover' },
    });
    await add(3);

    const verified = await log.activity.verify();
    expect(verified).toMatchObject({
      verdict: 'broken',
      problem: { reason: 'gap', message: expect.stringContaining('had lost them') as string },
      entries_by_kind: { lost: 1, restored: closed - kept },
      records: closed + 4,
    });
    // Also after a restart, for which nothing is in memory any more.
    await stop();
    await start();
    expect(rollback()).toMatchObject({ missing });

    await accept();
    expect(rollback()).toBeUndefined();
    expect(await log.activity.verify()).toMatchObject({
      verdict: 'intact',
      counts: 'agree',
      restored: [{ missing, by: 'operator' }],
    });
    const { code, said } = await exportVerdict();
    expect([code, said]).toEqual([
      0,
      expect.stringMatching(/intact, but entries are missing[^]*LOST: entries/),
    ]);
    await stop();
    await start();
    await add(2);
    expect(rollback()).toBeUndefined();
  });

  test('a proxy that was stopped meanwhile names what is missing, although it cannot write it again', async () => {
    await standby();
    await add(20, LATE);
    await stop();
    await server.failOver('standby', 'old');
    await start();
    expect(rollback()).toMatchObject({ logs: [{ missing: rollback()!.missing }] });
    expect(rollback()!.missing).toBeGreaterThanOrEqual(20);
    expect(rollback()!.logs[0]).not.toHaveProperty('restored');
    await add(2, LATE);
    expect(await log.activity.verify()).toMatchObject({ verdict: 'broken', problem: { reason: 'gap' } });
    await accept();
    expect(await log.activity.verify()).toMatchObject({ verdict: 'intact' });
  });

  test('a facet that was lost without its record is made again', async () => {
    await server.keepHotCopy('standby');
    const admin = new pg.Client({ connectionString: url });
    admin.on('error', () => undefined);
    await admin.connect();
    await admin.query('BEGIN; LOCK TABLE activity');
    const waiting = log.activity
      .open(draft(LATE))
      .durable()
      .catch(() => undefined);
    const made = async () =>
      (await admin.query(`SELECT 1 FROM activity_facet WHERE tool_name = '${LATE.tool_name}'`)).rowCount;
    await expect.poll(made, LONG).toBeGreaterThan(0);
    await server.failOver('standby', 'old');
    await waiting;
    await untilWritable(log);
    await add(2, LATE);
    expect(rollback()).toBeUndefined();
    expect(await log.activity.verify()).toMatchObject({ verdict: 'intact', counts: 'agree' });
  });

  test('one that has everything, as a synchronous standby or the same server started again, is no alarm', async () => {
    await add(20, LATE);
    await server.stop('hard');
    await server.start();
    await untilWritable(log);
    await add(3);
    await server.keepCopy('standby');
    await untilWritable(log);
    expect(rollback()).toBeUndefined();
    expect(await log.activity.verify()).toMatchObject({ verdict: 'intact', counts: 'agree' });
  });

  test('the old one that comes back lacks what came after it, and the numbers go on', async () => {
    await standby();
    await add(10, LATE);
    await server.failOver('standby', 'old');
    await expect.poll(() => rollback()?.logs[0]?.restored, LONG).toBeGreaterThanOrEqual(10);
    await add(5);
    const all = await records();
    await server.failOver('old', 'standby');
    await expect.poll(() => rollback()?.logs.length, LONG).toBe(2);
    await expect.poll(records, LONG).toBe(all);
    await untilWritable(log);
    await accept();
    expect(await log.activity.verify()).toMatchObject({ verdict: 'intact', counts: 'agree' });
  });

  test('a log that somebody has written to behind the back of the proxy is not continued, nor signed', async () => {
    await add(10, LATE);
    await log.sql('DELETE FROM activity_journal WHERE n > 6');
    await log.sql('UPDATE activity_journal SET hash = ? WHERE n = 6', 'x'.repeat(43));
    await server.stop('hard');
    await server.start();
    await expect.poll(() => rollback()?.reason, LONG).toContain('another activity log');
    await expect(log.activity.open(draft()).close({ status: 'success' })).rejects.toMatchObject({
      code: 'AUDIT_UNAVAILABLE',
    });
    await stop();
    await start();
    expect(rollback()?.reason).toContain('is not the one that was written');
    await add(2);
    expect((await log.sql('SELECT * FROM activity_log')).length).toBe(2);
  });
});
