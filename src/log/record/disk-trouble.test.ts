import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { draft, openTestLog, type TestLog } from '../../../test/fixtures/activity-log.ts';
import { disk, openOnDisk } from '../../../test/fixtures/failing-disk.ts';

let log: TestLog;
beforeEach(async () => {
  disk.trouble = 'none';
  log = await openTestLog(openOnDisk);
});
afterEach(async () => {
  disk.trouble = 'none';
  await log.remove();
});

const byName = ([a]: string[], [b]: string[]) => a!.localeCompare(b!);
const unavailable = { code: 'AUDIT_UNAVAILABLE' };

describe('a log whose disk fails', () => {
  test.each(['before', 'after'] as const)(
    'nothing that failed (%s the write) is said to be recorded, what ended meanwhile is recorded later, once, and the chain is whole',
    async (when) => {
      await log.activity.open(draft({ request_id: 'earlier' })).close({ status: 'success' });
      const running = log.activity.open(draft({ request_id: 'running' }));
      await running.durable();
      const unsure = log.activity.open(draft({ request_id: 'unsure', tool_name: 'new_tool' }));

      disk.trouble = when;
      await expect(unsure.durable()).rejects.toMatchObject(unavailable);
      await expect(running.close({ status: 'success' })).rejects.toMatchObject(unavailable);
      const refused = log.activity.open(draft({ request_id: 'refused' }));
      await expect(refused.durable()).rejects.toMatchObject(unavailable);
      await expect(
        refused.close({ status: 'refused', error_code: 'AUDIT_UNAVAILABLE' }),
      ).rejects.toMatchObject(unavailable);
      await expect(unsure.close({ status: 'error' })).rejects.toMatchObject(unavailable);
      expect(log.activity.state()).toMatchObject({
        log: 'unavailable',
        reason: 'disk I/O error',
        waiting: 3,
      });

      disk.trouble = 'none';
      await expect.poll(() => log.activity.state()).toEqual({ log: 'ok', waiting: 0, lost: 0 });
      await log.activity.open(draft({ request_id: 'later' })).close({ status: 'success' });
      const { records, total } = await log.activity.list({}, { limit: 100 });
      expect(records.map((record) => [record.request_id, record.status]).sort(byName)).toEqual([
        ['earlier', 'success'],
        ['later', 'success'],
        ['refused', 'refused'],
        ['running', 'success'],
        ['unsure', 'error'],
      ]);
      expect([total, (await log.activity.stats()).records]).toEqual([5, 5]);
      expect(await log.activity.verify()).toMatchObject({ verdict: 'intact', records: 5 });
      await log.restart();
      expect(await log.activity.verify()).toMatchObject({ verdict: 'intact', records: 5 });
    },
  );
});
