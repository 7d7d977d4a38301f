import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { draft, openLogOn, openTestLog, type TestLog } from '../../test/fixtures/activity-log.ts';
import { newPostgres } from '../../test/fixtures/engines.ts';
import { moveLogs } from '../log/postgres/move/move-log.ts';
import { openRowSeal } from '../db/seal/open-row-seal.ts';
import { lockDataDir } from '../config/daemon/index.ts';
import type { ActivityRecord } from '../contract/activity.ts';
import { openDatabase } from '../db/database.ts';
import type { PostgresDatabase } from '../db/postgres/database.ts';
import type { SqliteDatabase } from '../db/sqlite/database.ts';
import { createLog } from '../lib/log.ts';
import { dbMigrate } from './db-migrate.ts';

const silent = createLog('silent');
let source: TestLog<SqliteDatabase>;
let target: Awaited<ReturnType<typeof newPostgres>>;
let to: PostgresDatabase;
/** Opened on the new side. */
let opened: TestLog[] = [];

beforeEach(async () => {
  source = await openTestLog();
  target = await newPostgres();
  to = await openDatabase({ url: target.url, log: silent });
});
afterEach(async () => {
  for (const log of opened.splice(0)) await log.activity.close();
  await source.remove();
  await to.close();
  await target.remove();
});

/** Records of every kind, with sessions, errors, redactions, and one that was never closed. */
async function fill(n: number): Promise<void> {
  for (let i = 0; i < n; i += 100) {
    source.clock.time += 60_000;
    const some = Array.from({ length: Math.min(100, n - i) }, async (_, k) => {
      const record = source.activity.open(
        draft({
          request_id: `r${i + k}`,
          tool_name: `t${k % 4}`,
          arguments: { word: `w${k}`, text: 'Ö 東京' },
        }),
      );
      if (k % 3 === 0) await record.durable();
      const failed = { error_code: 'UPSTREAM_FAILED', error_message: `no ${k}` };
      await record.close({ status: k % 5 ? 'success' : 'error', response: { k }, ...(k % 5 ? {} : failed) });
      return record.id;
    });
    const ids = await Promise.all(some);
    await source.activity.redact(ids[1]!, { by: 'operator' });
  }
  await source.activity.open(draft({ request_id: 'left open' })).durable();
}

async function exported(log: TestLog): Promise<ActivityRecord[]> {
  const records: ActivityRecord[] = [];
  for await (const record of log.activity.export({})) records.push(record);
  return records;
}

async function openMoved(): Promise<TestLog> {
  const log = await openLogOn(to, source.dir);
  opened.push(log);
  return log;
}

const place = () => ({ dataDir: source.dir });
const from = () => source.db.file;
function migrate(options: { allowBroken?: boolean } = {}, signal = new AbortController().signal) {
  const steps: string[] = [];
  const onProgress = ({ step }: { step: string }) => void (steps.at(-1) === step || steps.push(step));
  const toFile = join(source.dir, 'url');
  writeFileSync(toFile, `${target.url}\n`, { mode: 0o600 });
  return dbMigrate(place(), { toFile, from: from(), ...options }, { onProgress, signal }).then((report) => ({
    ...report,
    steps,
  }));
}
/** Nothing runs on the source while it is moved. */
const endSource = async () => {
  await source.activity.close();
};

describe('db migrate', () => {
  test('moves the log and everything else; the chain is the same, and goes on in the new place', async () => {
    await fill(300);
    source.db.sqlite.exec(`
      INSERT INTO tasks (id, user_id, description, status, created_at) VALUES ('t1', 'u', 'one', 'open', '2026'), ('t2', 'u', 'two', 'open', '2026');
      INSERT INTO accepted_definitions VALUES ('files', 'read', '{}');
      INSERT INTO tokens (id, name, digest, scope, user_id, created_at, created_by) VALUES ('k1', 'cursor', 'd1', '{}', 'u', '2026', 'me');
      INSERT INTO state_key VALUES (1, 'here')`);
    const before = await exported(source);
    const summary = await source.activity.summary('all');
    await endSource();
    const { head } = await source.activity.verify();

    const report = await migrate();
    expect(report).toMatchObject({ verdict: 'intact', warnings: [], from: from(), moved: report.entries });
    expect(report.steps).toEqual(['check', 'tables', 'log', 'verify']);
    expect(report.to).not.toContain(new URL(target.url).password);
    expect(report.logs).toMatchObject([{ head, records: 301 }]);
    expect(report.tables.filter(({ rows }) => rows > 0)).toEqual([
      { table: 'accepted_definitions', rows: 1, moved: 1, conflicts: 0 },
      { table: 'state_key', rows: 1, moved: 1, conflicts: 0 },
      { table: 'tasks', rows: 2, moved: 2, conflicts: 0 },
      { table: 'tokens', rows: 1, moved: 1, conflicts: 0 },
    ]);
    expect((await to.pool.query('SELECT id FROM tasks ORDER BY seq')).rows).toEqual([
      { id: 't1' },
      { id: 't2' },
    ]);

    const moved = await openMoved();
    const settled = before.map((record) =>
      record.status === 'pending' ? expect.objectContaining({ status: 'unknown' }) : record,
    );
    expect(await exported(moved)).toEqual(settled);
    expect(await moved.activity.summary('all')).toMatchObject({
      total: summary.total,
      by_tool: summary.by_tool,
    });
    expect(await moved.activity.list({ q: '東 w7' }, { limit: 5 })).toMatchObject({ total: 3 });
    await moved.activity.open(draft()).close({ status: 'success' });
    const verified = await moved.activity.verify();
    expect(verified).toMatchObject({ verdict: 'intact', records: 302 });
    expect(verified.logs).toHaveLength(1);
    await moved.activity.close();

    // A second run: everything is there, and the destination has newer entries.
    expect(await migrate()).toMatchObject({ verdict: 'intact', moved: 0, entries: verified.entries + 1 });
    expect((await to.pool.query('SELECT count(*) AS n FROM tasks')).rows).toEqual([{ n: 2 }]);
  });

  test('stopped at any moment, by the user or by the server, it goes on where it ended, and nothing is there twice', async () => {
    await fill(250);
    const before = (await exported(source)).map(({ id }) => id);
    await endSource();
    const { entries, head } = await source.activity.verify();
    let runs = 0;
    for (let done = false; !done; runs++) {
      const stop = new AbortController();
      let steps = Math.floor(Math.random() * 6);
      // The first time surely: the server may find nothing to stop.
      const byServer = runs > 0 && Math.random() < 0.5;
      const onProgress = () => {
        if (steps-- > 0) return;
        if (!byServer) stop.abort(new Error('stopped'));
        else
          void to.pool
            .query(
              `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND query LIKE '%json_to_recordset%' AND datname = current_database()`,
            )
            .catch(() => {});
      };
      const moving = moveLogs({ from: source.db, to, onProgress, signal: stop.signal, batch: 31 });
      done = await moving.then(
        () => true,
        () => false,
      );
      const counts = await to.pool.query<{ rows: number; seqs: number }>(
        'SELECT count(*) AS rows, count(DISTINCT seq) AS seqs FROM activity',
      );
      expect(counts.rows[0]!.rows).toBe(counts.rows[0]!.seqs);
      expect(runs).toBeLessThan(200);
    }
    expect(runs).toBeGreaterThan(1);
    expect(await migrate()).toMatchObject({ verdict: 'intact', moved: 0, entries, logs: [{ head }] });
    const moved = await openMoved();
    expect((await exported(moved)).map(({ id }) => id)).toEqual(before);
    expect(await moved.activity.stats()).toMatchObject({ records: before.length });
    const sums = await to.pool.query(
      `SELECT (SELECT sum(n) FROM activity_count_hour) AS hours, (SELECT sum(n) FROM activity_count_day) AS days,
         (SELECT sum(n_read + n_write + n_destructive + n_other) FROM activity_minute) AS minutes, (SELECT count(*) FROM activity_text) AS words`,
    );
    const n = before.length;
    expect(sums.rows).toEqual([{ hours: n, days: n, minutes: n, words: n }]);
  });

  test('Ctrl-C ends the command with its reason', async () => {
    await fill(100);
    await endSource();
    const stop = new AbortController();
    const reason = new Error('interrupted');
    stop.abort(reason);
    await expect(migrate({}, stop.signal)).rejects.toBe(reason);
    expect(await migrate()).toMatchObject({ verdict: 'intact' });
  });

  test('a log that is on its way is left alone by the proxies that are there already', async () => {
    await fill(200);
    await endSource();
    const other = await openLogOn(to);
    opened.push(other);
    await other.activity.open(draft()).close({ status: 'success' });
    const stop = new AbortController();
    let steps = 0;
    const onProgress = () => void (++steps > 2 && stop.abort(new Error('stopped')));
    await expect(
      moveLogs({ from: source.db, to, onProgress, signal: stop.signal, batch: 50 }),
    ).rejects.toThrow();

    other.settings.max_records = 1;
    expect(await other.activity.sweep()).toBe(0);
    expect(await other.activity.verify()).toMatchObject({ verdict: 'intact', records: 1 });
    const { records } = await other.activity.list({ request_id: 'r3' }, { limit: 1 });
    await expect(other.activity.redact(records[0]!.id, { by: 'operator' })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    other.settings.max_records = 1_000_000;
    expect(await migrate()).toMatchObject({ verdict: 'intact' });
    expect(await other.activity.verify()).toMatchObject({ verdict: 'intact', records: 202 });
  });

  test('logs of several keys are moved, with the records that one ended for the other, and retention shortens them', async () => {
    await fill(100);
    await source.activity.close();
    rmSync(join(source.dir, 'activity-key.pem'));
    await source.restart();
    await fill(50);
    await source.activity.redact((await exported(source))[4]!.id, { by: 'operator' });
    await endSource();
    expect(await source.activity.verify()).toMatchObject({ verdict: 'intact' });
    const report = await migrate();
    expect(report).toMatchObject({ verdict: 'intact' });
    expect(report.logs).toHaveLength(2);
    const moved = await openMoved();
    for (const most of [120, 60, 40, 5, 0]) {
      // The first may have begun before the limit was set.
      await moved.activity.sweep();
      moved.settings.max_records = most;
      await moved.activity.sweep();
      expect(await moved.activity.verify()).toMatchObject({ verdict: 'intact', records: most });
      expect(await moved.activity.stats()).toMatchObject({ records: most });
    }
  });

  test('a log that does not verify is moved only when that is wanted, and is as broken there as here', async () => {
    await fill(20);
    await endSource();
    source.db.sqlite.exec(`UPDATE activity SET response = '{"k":99}' WHERE request_id = 'r7'`);
    await expect(migrate()).rejects.toMatchObject({
      code: 'LOG_BROKEN',
      message: expect.stringContaining('row differs'),
    });
    const report = await migrate({ allowBroken: true });
    expect(report).toMatchObject({
      verdict: 'broken',
      warnings: [expect.stringContaining('failed verification')],
    });
  });

  test('a log that went on in both places is not put together', async () => {
    await fill(20);
    await endSource();
    await migrate();
    const moved = await openMoved();
    await moved.activity.open(draft({ request_id: 'there' })).close({ status: 'success' });
    await moved.activity.close();
    await source.restart();
    await source.activity.open(draft({ request_id: 'here' })).close({ status: 'success' });
    await endSource();
    await expect(migrate()).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('both places'),
    });
  });

  test('rows that decide are moved with a seal that holds; those that were changed outside of mcpproxy are left behind and named', async () => {
    await endSource();
    const token = (id: string) =>
      `INSERT INTO tokens (id, name, digest, scope, user_id, created_at, created_by) VALUES ('${id}', '${id}', '${id}', '{}', 'u', '2026', 'me')`;
    source.db.sqlite.exec(token('honest'));
    const options = { dataDir: source.dir, now: () => 0, report: () => {} };
    const opened = await openRowSeal({ db: source.db, ...options });
    expect(opened.sealedNow).toEqual({ tokens: 1 });
    opened.close();
    source.db.sqlite.exec(token('forged'));
    const { tables, warnings } = await migrate();
    expect(tables.find(({ table }) => table === 'tokens')).toEqual({
      table: 'tokens',
      rows: 2,
      moved: 1,
      conflicts: 0,
      broken: 1,
    });
    expect(warnings).toEqual([expect.stringContaining('the row forged of tokens was not moved')]);
    await to.pool.query(token('later'));
    const there = await openRowSeal({ db: to, ...options });
    const rows = await to.kysely.selectFrom('tokens').selectAll().orderBy('id').execute();
    expect(rows.map((row) => [row.id, there.seal.trouble('tokens', row)])).toEqual([
      ['honest', undefined],
      ['later', 'missing'],
    ]);
    there.close();
  });

  test('what stands in the place of another is told', async () => {
    await endSource();
    const token = (id: string) =>
      `INSERT INTO tokens (id, name, digest, scope, user_id, created_at, created_by) VALUES ('${id}', 'cursor', '${id}', '{}', 'u', '2026', 'me')`;
    source.db.sqlite.exec(token('here'));
    await to.pool.query(token('there'));
    const { tables, warnings } = await migrate();
    expect(tables.find(({ table }) => table === 'tokens')).toEqual({
      table: 'tokens',
      rows: 1,
      moved: 0,
      conflicts: 1,
    });
    expect(warnings).toEqual([expect.stringContaining('1 row of tokens')]);
  });

  test('nothing is done while a proxy uses the data directory, or where it is not said where to', async () => {
    const lock = lockDataDir(source.dir);
    await expect(migrate()).rejects.toMatchObject({
      code: 'DATA_DIR_IN_USE',
      message: expect.stringContaining(`process ${process.pid}`),
    });
    lock.release();
    const signal = new AbortController().signal;
    const watch = { onProgress: () => {}, signal };
    await expect(dbMigrate(place(), { from: from() }, watch)).rejects.toMatchObject({ code: 'USAGE' });
    await expect(dbMigrate(place(), { from: from(), to: 'sqlite:x.db' }, watch)).rejects.toMatchObject({
      code: 'USAGE',
    });
    await expect(dbMigrate(place(), { to: target.url, from: 'none.db' }, watch)).rejects.toMatchObject({
      code: 'USAGE',
    });
    await endSource();
    expect(await dbMigrate(place(), { from: from(), to: target.url }, watch)).toMatchObject({
      verdict: 'intact',
      warnings: [expect.stringContaining('process list')],
    });
  });
});
