import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { cases } from '../../../test/fixtures/cases.ts';
import { draft, openTestLog, type TestLog } from '../../../test/fixtures/activity-log.ts';
import { SummaryPeriod, type ActivityRecord } from '../../contract/activity.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const stepArb = fc.record({
  tool: fc.constantFrom('read_file', 'write_file', 'list_files'),
  status: fc.constantFrom('success', 'error', 'refused', undefined),
  /** A count that moves from one facet to another, also long after it was made. */
  durable: fc.boolean(),
  wait: fc.constantFrom(0, 7 * MINUTE, HOUR, 5 * HOUR, 50 * HOUR, 200 * HOUR, -20 * MINUTE),
  ask: fc.subarray([...SummaryPeriod.options]),
  next: fc.constantFrom('nothing', 'nothing', 'nothing', 'sweep', 'restart'),
});

type Wanted = Parameters<TestLog['activity']['summary']>[0];

/** As a reader of the documentation would count. */
async function expectExact(log: TestLog, period: Wanted): Promise<void> {
  const { start_time: start, end_time: end, total, by_status, by_tool } = await log.activity.summary(period);
  const records: ActivityRecord[] = [];
  for await (const record of log.activity.export({})) records.push(record);
  // A clock that went back has left records after the present time.
  const isOpen = typeof period === 'string' || period.end_time === undefined;
  const within = records.filter(
    ({ timestamp }) => (start === null || timestamp >= start) && (isOpen || timestamp <= end),
  );
  const count = (name: (record: ActivityRecord) => string) => {
    const sums: Record<string, number> = {};
    for (const record of within) sums[name(record)] = (sums[name(record)] ?? 0) + 1;
    return sums;
  };
  expect([period, total]).toEqual([period, within.length]);
  expect(by_status).toEqual(count(({ status }) => status));
  expect(by_tool).toEqual(count(({ tool_name: tool }) => `files:${tool}`));
}

test('summaries that are asked for again and again equal a count over all records', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(stepArb, { minLength: 5, maxLength: 60 }), async (steps) => {
      const log = await openTestLog();
      log.settings.max_records = 30;
      const left: Array<() => Promise<void>> = [];
      for (const { tool, status, durable, wait, ask, next } of steps) {
        log.clock.time += wait;
        const record = log.activity.open(draft({ tool_name: tool }));
        if (durable || !status) await record.durable();
        if (status) await record.close({ status });
        else left.push(() => record.close({ status: 'unknown' }));
        for (const period of ask) await expectExact(log, period);
        const at = (hours: number) => new Date(log.clock.time - hours * HOUR).toISOString();
        await expectExact(log, { start_time: at(60), end_time: at(3) });
        await expectExact(log, { end_time: at(ask.length) });
        if (next === 'sweep') await log.activity.sweep();
        if (next === 'restart') {
          for (const close of left.splice(0)) await close();
          await log.restart();
        }
      }
      for (const close of left) await close();
      for (const period of SummaryPeriod.options) await expectExact(log, period);
      await log.remove();
    }),
    { numRuns: cases(10) },
  );
});
