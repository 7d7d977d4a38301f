import { beforeEach, describe, expect, test } from 'vitest';
import { errorOf, restClient } from '../../../../test/fixtures/rest-client.ts';
import { activityRecord, fakeParts } from '../../../../test/fixtures/rest-parts.ts';
import { ProxyError } from '../../../contract/errors.ts';

let fake: ReturnType<typeof fakeParts>;
let door: ReturnType<typeof restClient>;
beforeEach(() => {
  fake = fakeParts();
  door = restClient(fake.parts);
});

describe('activity', () => {
  test('FR-039 filters and page go to the store apart', async () => {
    await door.client.request('listActivity', {
      status: 'refused',
      intent_type: 'destructive',
      start_time: '2026-11-15T00:00:00Z',
      limit: 7,
      cursor: 'abc',
    });
    expect(fake.asked.list).toEqual([
      { status: 'refused', intent_type: 'destructive', start_time: '2026-11-15T00:00:00.000Z' },
      { limit: 7, cursor: 'abc' },
    ]);
  });

  test('the name of a token alone stands for its principal; other principals are themselves', async () => {
    const principals = {
      cursor: 'token:cursor',
      'token:cursor': 'token:cursor',
      operator: 'operator',
      anonymous: 'anonymous',
      unknown: 'unknown',
      'config file': 'config file',
    };
    for (const [given, meant] of Object.entries(principals)) {
      await door.client.request('listActivity', { principal: given });
      expect(fake.asked.list![0]).toEqual({ principal: meant });
    }
  });

  test('a time in the words of people reaches the store as ISO 8601; what is none is an error with examples', async () => {
    await door.client.request('listActivity', { start_time: 'yesterday', end_time: 'yesterday' });
    const { start_time: start, end_time: end } = fake.asked.list![0];
    expect(start).toMatch(/T00:00:00\.000Z$/);
    expect(end).toMatch(/T23:59:59\.999Z$/);
    expect(Date.parse(end!) - Date.parse(start!)).toBe(86_399_999);
    await expect(door.client.request('listActivity', { start_time: 'soon' })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringContaining('2h, 7d, 1w, today, yesterday, this week, last week') as string,
    });
  });

  test('FR-038 records carry their intent, and the operation beside it', async () => {
    fake.records.set('01A', activityRecord('01A'));
    const { records } = await door.client.request('listActivity', {});
    expect(records[0]).toMatchObject({
      operation_type: 'read',
      metadata: { intent: { operation_type: 'read', reason: 'to see' }, tool_variant: 'call_tool_read' },
    });
  });

  test('an unknown record is not found', async () => {
    expect(await errorOf(await door.send('GET', '/api/v1/activity/01NO'))).toEqual([404, 'NOT_FOUND']);
  });

  test('exports JSON lines and CSV with the same filter', async () => {
    for (const id of ['01A', '01B']) fake.records.set(id, activityRecord(id));
    const lines = await door.send('GET', '/api/v1/activity/export?server=github');
    expect(lines.headers.get('content-type')).toBe('application/x-ndjson');
    expect(
      (await lines.text())
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).id),
    ).toEqual(['01A', '01B']);
    expect(fake.asked.exported).toEqual({ server: 'github' });
    const csv = await door.client.open('exportActivity', { format: 'csv' });
    const [head, first] = (await csv.text()).split(/\r?\n/);
    expect(head).toContain('operation_type');
    expect(first).toContain('01A');
  });

  test('an export that cannot start is an error with a status', async () => {
    const next = () => Promise.reject(new ProxyError('AUDIT_UNAVAILABLE', 'the log cannot be read'));
    fake.parts.activity.export = () => ({ [Symbol.asyncIterator]: () => ({ next }) });
    expect(await errorOf(await door.send('GET', '/api/v1/activity/export'))).toEqual([
      503,
      'AUDIT_UNAVAILABLE',
    ]);
  });
});
