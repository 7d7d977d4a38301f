import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { cases } from '../../../test/fixtures/cases.ts';
import { draft, eachLog, openTestLog, type TestLog } from '../../../test/fixtures/activity-log.ts';
import type { ActivityRecord, SeriesPoint, SeriesQuery } from '../../contract/activity.ts';
import { series as migration } from '../../db/migrations/0006-series.ts';
import { decisionsOnSqlite } from '../../db/migrations/0013-decisions.ts';
import { HOUR_MS, MINUTE_MS, seriesWindow } from './series-window.ts';

let log: TestLog;

const START = Date.parse('2026-03-01T12:00:00.000Z');
const iso = (ms: number) => new Date(ms).toISOString();

async function everything(): Promise<ActivityRecord[]> {
  const records: ActivityRecord[] = [];
  for await (const record of log.activity.export({})) records.push(record);
  return records;
}

/** As a reader of the documentation would count. */
function naive(records: ActivityRecord[], time: number, step: number): SeriesPoint {
  const within = records.filter(({ timestamp }) => {
    const at = Date.parse(timestamp);
    return at >= time && at < time + step;
  });
  const n = (test: (record: ActivityRecord) => boolean) => within.filter(test).length;
  return {
    time: iso(time),
    read: n(({ operation_type: operation }) => operation === 'read'),
    write: n(({ operation_type: operation }) => operation === 'write'),
    destructive: n(({ operation_type: operation }) => operation === 'destructive'),
    other: n(({ operation_type: operation }) => operation === undefined),
    refused: n(({ status }) => ['refused', 'denied', 'expired'].includes(status)),
    errors: n(({ status }) => ['error', 'unknown'].includes(status)),
    decisions: 0,
    total: within.length,
  };
}

async function expectExact(query: SeriesQuery): Promise<void> {
  const records = await everything();
  const { start_time, end_time, step_ms, points } = await log.activity.series(query);
  expect(points.length).toBeLessThanOrEqual(query.buckets);
  expect(points).toHaveLength((Date.parse(end_time) - Date.parse(start_time)) / step_ms);
  const expected = points.map((_, index) =>
    naive(records, Date.parse(start_time) + index * step_ms, step_ms),
  );
  expect(points).toEqual(expected);
}

const madeArb = fc.record({
  operation: fc.constantFrom('read', 'write', 'destructive', undefined),
  status: fc.constantFrom('success', 'error', 'refused', 'unknown', 'denied', undefined),
  durable: fc.boolean(),
  step: fc.constantFrom(0, 1000, 60_000, 3_600_000, 90_000_000, -5000),
});
const queryArb = fc.record({
  start_time: fc.option(
    fc.integer({ min: -100, max: 20_000 }).map((minutes) => iso(START + minutes * 59_999)),
    {
      nil: undefined,
    },
  ),
  end_time: fc.constantFrom(iso(START + 30 * 86_400_000), iso(START + 20_001 * MINUTE_MS)),
  buckets: fc.integer({ min: 1, max: 90 }),
});

eachLog('series', (open, engine) => {
  beforeEach(async () => {
    log = await open();
  });
  afterEach(() => log.remove());

  test('every point equals a count over all records, also after retention, a restart and a crash', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(madeArb, { minLength: 1, maxLength: 40 }),
        fc.array(queryArb, { minLength: 1, maxLength: 5 }),
        fc.nat(40),
        async (records, queries, kept) => {
          await log.remove();
          log = await open();
          for (const { operation, status, durable, step } of records) {
            log.clock.time += step;
            const { operation_type: _any, ...rest } = draft();
            const record = log.activity.open({ ...rest, ...(operation && { operation_type: operation }) });
            if (durable || !status) await record.durable();
            if (status) await record.close({ status });
          }
          for (const query of queries) await expectExact(query);
          log.settings.max_records = kept;
          await log.activity.sweep();
          for (const query of queries) await expectExact(query);
          await log.restart();
          for (const query of queries) await expectExact(query);
        },
      ),
      { numRuns: cases(engine === 'sqlite' ? 25 : 10) },
    );
  });

  test('without a question: the last hour by the minute, the present one included', async () => {
    log.clock.time = START + 20_000;
    await log.activity.open(draft()).close({ status: 'refused' });
    const { start_time, end_time, step_ms, points } = await log.activity.series({ buckets: 60 });
    expect([start_time, end_time, step_ms]).toEqual([
      iso(START - 59 * MINUTE_MS),
      iso(START + MINUTE_MS),
      60_000,
    ]);
    expect(points).toHaveLength(60);
    expect(points.at(-1)).toMatchObject({ time: iso(START), read: 1, refused: 1, errors: 0, total: 1 });
  });
});

describe('series of a log that is older than they are', () => {
  test('records from before the counts are counted once, by the migration', async () => {
    const sqlite = await openTestLog();
    log = sqlite;
    for (const status of ['success', 'error', 'denied'] as const) {
      log.clock.time += HOUR_MS;
      await log.activity.open(draft()).close({ status });
    }
    const read = (table: string) => sqlite.db.sqlite.prepare(`SELECT * FROM ${table} ORDER BY at`).all();
    const before = ['activity_minute', 'activity_hour'].map(read);
    sqlite.db.sqlite.exec('DROP TABLE activity_minute; DROP TABLE activity_hour');
    for (const each of [migration, decisionsOnSqlite]) await each.up(sqlite.db.kysely);
    expect(['activity_minute', 'activity_hour'].map(read)).toEqual(before);
    expect(before[0]).toHaveLength(3);
    await log.remove();
  });
});

describe('seriesWindow', () => {
  test('never more points than asked for, at the same places whenever it is asked', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 4e12 }),
        fc.integer({ min: 0, max: 4e12 }),
        fc.integer({ min: 1, max: 500 }),
        (a, b, buckets) => {
          const [from, to] = [Math.min(a, b), Math.max(a, b)];
          const { start, end, step, unit } = seriesWindow(
            { start_time: iso(from), end_time: iso(to), buckets },
            0,
          );
          expect([start % step, end % step, step % unit]).toEqual([0, 0, 0]);
          const points = (end - start) / step;
          expect(points).toBeGreaterThanOrEqual(1);
          expect(points).toBeLessThanOrEqual(buckets);
          expect(end).toBeGreaterThanOrEqual(to);
          expect(end - to).toBeLessThan(step);
          if (points > 1) expect(start - from).toBeLessThan(step);
        },
      ),
    );
  });

  test('a range that ends before it begins is refused', () => {
    expect(() => seriesWindow({ start_time: iso(2e12), end_time: iso(1e12), buckets: 1 }, 0)).toThrow(
      /start_time/,
    );
  });
});
