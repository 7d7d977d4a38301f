import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  draft,
  emptyLog,
  openLogOn,
  untilWritable,
  type TestLog,
} from '../../../test/fixtures/activity-log.ts';
import { compiled } from '../../../test/fixtures/compiled.ts';
import { openWay, type Way } from '../../../test/cluster/way.ts';
import { newPostgres } from '../../../test/fixtures/engines.ts';
import type { ActivityRecord } from '../../contract/activity.ts';
import { openDatabase } from '../../db/database.ts';
import type { PostgresDatabase } from '../../db/postgres/database.ts';
import { createLog } from '../../lib/log.ts';

// Two proxies, each with a data directory, a key and connections of its own, on one database.
let place: Awaited<ReturnType<typeof newPostgres>>;
let databases: [PostgresDatabase, PostgresDatabase];
let a: TestLog;
let b: TestLog;
/** From the first proxy to the database. */
let way: Way;

beforeAll(async () => {
  place = await newPostgres();
  const open = (url: string) => openDatabase({ url, log: createLog('silent') });
  const through = new URL(place.url);
  way = await openWay(Number(through.port));
  through.port = String(way.port);
  databases = [await open(through.href), await open(place.url)];
});
afterAll(async () => {
  for (const db of databases) await db.close();
  await way.close();
  await place.remove();
});
beforeEach(async () => {
  await emptyLog(databases[0]);
  a = await openLogOn(databases[0]);
  b = await openLogOn(databases[1]);
});
afterEach(async () => {
  await a.remove();
  await b.remove();
});

const ids = (records: ActivityRecord[]) => records.map(({ id }) => id);
const listed = async (log: TestLog) => ids((await log.activity.list({}, { limit: 100 })).records);
async function call(log: TestLog, fields: Parameters<typeof draft>[0] = {}): Promise<string> {
  const record = log.activity.open(draft(fields));
  await record.close({ status: 'success' });
  return record.id;
}
async function exported(log: TestLog): Promise<string[]> {
  const seen: string[] = [];
  for await (const { id } of log.activity.export({})) seen.push(id);
  return seen;
}
/** The connection through which the first proxy writes is gone; the proxy itself is not. */
async function disconnectFirst(): Promise<void> {
  const { rows } = await databases[1].pool.query<{ ended: number }>(
    `SELECT count(pg_terminate_backend(pid)) AS ended FROM pg_locks
     WHERE locktype = 'advisory' AND objid = 1 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
  expect(rows[0]!.ended).toBe(1);
}

describe('two proxies on one database', () => {
  test('see all records of both, in one order, and count them; each has a chain, and verify names both', async () => {
    const made: string[] = [];
    for (let i = 0; i < 20; i++) {
      for (const log of [a, b]) {
        log.clock.time += 1;
        made.push(await call(log, { tool_name: `t${i % 3}`, arguments: { word: `w${i}` } }));
      }
      b.clock.time = a.clock.time += 1;
    }
    expect(await listed(a)).toEqual(await listed(b));
    expect(new Set(await listed(a))).toEqual(new Set(made));
    expect(await exported(b)).toEqual((await listed(a)).toReversed());
    for (const log of [a, b]) {
      expect(await log.activity.list({ q: 'w7' }, { limit: 5 })).toMatchObject({ total: 2 });
      expect(await log.activity.stats()).toMatchObject({ records: 40 });
      expect((await log.activity.summary('all')).by_tool).toEqual({
        'files:t0': 14,
        'files:t1': 14,
        'files:t2': 12,
      });
      const verified = await log.activity.verify();
      expect(verified).toMatchObject({ verdict: 'intact', records: 40 });
      expect(verified.logs.map(({ records }) => records)).toEqual([20, 20]);
    }
    expect((await a.activity.facts.heads()).length).toBe(2);
  });

  test('one that exchanges the log of another with its key is found out', async () => {
    await call(a);
    await call(b);
    expect(await a.activity.verify()).toMatchObject({ verdict: 'intact' });
    const c = await openLogOn(databases[0]);
    await call(c);
    await c.remove();
    await a.sql(
      `UPDATE activity_log SET public_key = (SELECT max(public_key) FROM activity_log WHERE log = 3) WHERE log = 2`,
    );
    expect(await a.activity.verify()).toMatchObject({
      verdict: 'unknown',
      why: expect.stringContaining('not known here'),
    });
  });

  test('a reader that pages sees each record once, also those that arrive late with smaller numbers', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ who: fc.boolean(), step: fc.integer({ min: -3, max: 3 }) }), {
          minLength: 4,
          maxLength: 30,
        }),
        fc.array(fc.record({ who: fc.boolean(), step: fc.integer({ min: -40, max: 3 }) }), { maxLength: 10 }),
        fc.integer({ min: 1, max: 6 }),
        async (before, late, limit) => {
          const write = async ({ who, step }: { who: boolean; step: number }) => {
            const log = who ? a : b;
            log.clock.time += step;
            return call(log, { session_id: 's' });
          };
          for (const each of before) await write(each);
          const arriving = [...late];
          for (const filter of [{}, { server: 'files' }, { session_id: 's' }]) {
            const seen: string[] = [];
            const below: string[] = [];
            const first = await a.activity.list(filter, { limit });
            const there = new Set(await exported(a));
            seen.push(...ids(first.records));
            for (let cursor = first.next_cursor; cursor !== null;) {
              const each = arriving.pop();
              const last = seen.at(-1)!;
              const added = each && (await write(each));
              // The first letters are the number, by which records are ordered.
              if (added && added.slice(0, 12) < last.slice(0, 12)) below.push(added);
              const page = await b.activity.list(filter, { limit, cursor });
              seen.push(...ids(page.records));
              cursor = page.next_cursor;
            }
            expect(new Set(seen).size).toBe(seen.length);
            expect([...there].filter((id) => !seen.includes(id))).toEqual([]);
            // What arrived behind the place that was reached comes when the reader gets there.
            expect(below.filter((id) => !seen.includes(id))).toEqual([]);
          }
        },
      ),
      { numRuns: 15 },
    );
  });

  test('retention removes the oldest of all, once, and each chain still verifies', async () => {
    for (let i = 0; i < 60; i++) {
      const log = i % 3 ? a : b;
      a.clock.time = b.clock.time += 10;
      await call(log, { request_id: `r${i}` });
    }
    a.settings.max_records = b.settings.max_records = 25;
    const removed = await Promise.all([a.activity.sweep(), b.activity.sweep(), a.activity.sweep()]);
    expect(Math.max(...removed)).toBe(35);
    expect(removed[0] + removed[1]).toBe(35);
    const { records, total } = await b.activity.list({}, { limit: 100 });
    expect(total).toBe(25);
    expect(records.map(({ request_id: id }) => id)).toEqual(
      Array.from({ length: 25 }, (_, index) => `r${59 - index}`),
    );
    await Promise.all([call(a), call(b)]);
    for (const log of [a, b])
      expect(await log.activity.verify()).toMatchObject({ verdict: 'intact', records: 27 });
  });

  test('one redacts what the other wrote, while that goes on writing', async () => {
    const said = await call(a, { arguments: { word: 'unspeakable' } });
    const busy = Promise.all(Array.from({ length: 200 }, () => call(a)));
    await b.activity.redact(said, { by: 'operator' });
    await busy;
    expect(await a.activity.get(said)).toMatchObject({ metadata: { redacted: { by: 'operator' } } });
    expect(await a.activity.list({ q: 'unspeakable' }, { limit: 1 })).toMatchObject({ total: 0 });
    await expect(a.activity.redact(said, { by: 'operator' })).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await a.activity.verify()).toMatchObject({ verdict: 'intact', records: 201 });
  });

  test('both meet the same new names at the same time', async () => {
    const calls = Array.from({ length: 100 }, (_, i) =>
      call(i % 2 ? a : b, { tool_name: `tool_${i % 10}`, server_name: `server_${i % 5}` }),
    );
    await Promise.all(calls);
    expect((await a.activity.summary('all')).by_tool).toEqual((await b.activity.summary('all')).by_tool);
    const [facets] = await a.sql<{ n: number }>('SELECT count(*) AS n FROM activity_facet');
    expect(facets!.n).toBe(10);
  });

  test('one that loses its connection goes on, and its open calls are not taken for lost', async () => {
    const running = a.activity.open(draft({ request_id: 'running' }));
    await running.durable();
    await disconnectFirst();
    await untilWritable(a);
    await running.close({ status: 'success' });
    expect(await b.activity.get(running.id)).toMatchObject({ status: 'success' });
    expect((await a.activity.facts.heads()).length).toBe(2);
    expect(await b.activity.verify()).toMatchObject({ verdict: 'intact' });
  });

  test('one that comes back after its open calls were settled tells how they ended, and the chain says so', async () => {
    const running = a.activity.open(draft({ request_id: 'running', arguments: { word: 'needle' } }));
    await running.durable();
    // It would be back at once, before the other takes its calls for lost.
    way.refuse();
    await disconnectFirst();
    await expect
      .poll(() => b.activity.get(running.id))
      .toMatchObject({ status: 'unknown', error_code: 'OUTCOME_UNKNOWN' });
    way.thaw();
    await expect.poll(() => a.activity.state().log).toBe('ok');
    await running.close({ status: 'error', error_code: 'UPSTREAM_FAILED', error_message: 'it was full' });
    expect(await b.activity.get(running.id)).toMatchObject({ status: 'error', error_message: 'it was full' });
    expect(await b.activity.list({ q: 'full needle', status: 'error' }, { limit: 5 })).toMatchObject({
      total: 1,
    });
    expect((await b.activity.summary('all')).by_status).toEqual({ error: 1 });
    const [first] = await b.activity.facts.heads();
    const facts = await b.activity.facts.after({ log: first!.log, n: 0 }, 10);
    expect(facts.map(({ kind }) => kind)).toEqual(['opened', 'recovered', 'late']);
    for (const each of [a, b])
      expect(await each.activity.verify()).toMatchObject({ verdict: 'intact', records: 1 });
    const changed = await a.verifyChanged((sql) => sql(`UPDATE activity SET error_message = 'it was empty'`));
    expect(changed.problem?.reason).toBe('row differs');
    a.settings.max_records = 0;
    await b.activity.sweep();
    await a.activity.sweep();
    expect(await b.activity.verify()).toMatchObject({ verdict: 'intact', records: 0 });
  });
});

describe('a proxy that is killed', () => {
  let dir: string;
  beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), 'mcpproxy-killed-'))));
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  async function killOne(records: number): Promise<void> {
    const writer = await compiled(`import './test/fixtures/pg-writer.ts'`);
    const args = [writer, place.url, dir, String(records)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    await new Promise((resolve) => child.stdout.once('data', resolve));
    child.kill('SIGKILL');
    await ended;
  }
  const settled = async () =>
    (await b.activity.list({ status: 'unknown', q: 'needle' }, { limit: 50 })).total;

  test('leaves records that another one settles, once', async () => {
    await killOne(12);
    await expect.poll(settled).toBe(12);
    const facts = (await b.activity.facts.heads()).map(({ log }) =>
      b.activity.facts.after({ log, n: 0 }, 100),
    );
    const kinds = (await Promise.all(facts)).flat().map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'recovered')).toHaveLength(12);
    expect(await a.activity.verify()).toMatchObject({ verdict: 'intact', records: 12 });
  });

  test('settles them itself when it comes back first, and goes on with its log', async () => {
    await a.activity.close();
    await b.activity.close();
    await killOne(5);
    const again = await openLogOn(databases[0], dir, 60_000);
    expect(await again.activity.list({ status: 'unknown' }, { limit: 50 })).toMatchObject({ total: 5 });
    await call(again);
    const verified = await again.activity.verify();
    expect(verified).toMatchObject({ verdict: 'intact', records: 6 });
    expect(verified.logs.filter(({ records }) => records > 0)).toHaveLength(1);
    await again.activity.close();
  });
});
