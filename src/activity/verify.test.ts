import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { draft, openTestLog, type TestLog } from '../../test/fixtures/activity-log.ts';

let log: TestLog;
beforeEach(async () => {
  log = await openTestLog();
});
afterEach(() => log.remove());

async function fill(): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < 12; i++) {
    const record = log.activity.open(draft({ request_id: `r${i}`, tool_name: `tool_${i % 3}` }));
    ids.push(record.id);
    if (i % 4 === 0) await record.durable();
    if (i === 11) await record.durable();
    else
      await record.close({
        status: i % 5 === 0 ? 'error' : 'success',
        response: { text: `answer ${i}` },
        ...(i % 5 === 0 && { error_code: 'UPSTREAM_FAILED', error_message: `no ${i}` }),
      });
  }
  await log.activity.checkpoint();
  return ids;
}

describe('verify', () => {
  test('what was written is intact, also after a crash and a restart', async () => {
    await fill();
    expect(await log.activity.verify()).toMatchObject({
      intact: true,
      verdict: 'intact',
      records: 12,
      unsigned_entries: 0,
    });
    await log.restart();
    expect(await log.activity.verify()).toMatchObject({ intact: true, records: 12 });
  });
});
