import { expect, test } from 'vitest';
import { silent } from '../../../test/fixtures/http-server.ts';
import { systemClock } from '../../lib/clock.ts';
import type { Outcome, RecordDraft } from './record.ts';
import { createRejectedRequests } from './rejected-requests.ts';

function open() {
  const records: Array<RecordDraft & Outcome> = [];
  const activity = {
    open: (draft: RecordDraft) => ({
      id: 'r',
      durable: async () => {},
      close: async (outcome: Outcome) =>
        void records.push({ ...draft, ...outcome, metadata: draft.metadata }),
    }),
  };
  return { records, rejectedRequests: createRejectedRequests({ activity, clock: systemClock, log: silent }) };
}

test('every request counts, in one record for each address and caller', () => {
  const { records, rejectedRequests } = open();
  for (let n = 0; n < 1000; n++)
    rejectedRequests.add({ address: '127.0.0.1', firstLine: 'POST /mcp HTTP/1.1', of: 'connections' });
  rejectedRequests.add({
    address: '10.0.0.1',
    firstLine: 'GET /\u001b[31m HTTP/1.1',
    of: 'calls',
    principal: 'token:a',
  });
  rejectedRequests.flush();
  rejectedRequests.flush();
  expect(
    records.map(({ metadata }) => [metadata.client_address, metadata.principal, metadata.turned_away]),
  ).toEqual([
    ['127.0.0.1', 'unknown', 1000],
    ['10.0.0.1', 'token:a', 1],
  ]);
  expect(records[0]).toMatchObject({ type: 'bad_request', status: 'refused', error_code: 'OVERLOADED' });
  expect(records[1]!.arguments).toEqual({ excerpt: 'GET /\\u{1b}[31m HTTP/1.1' });
});

test('addresses without end share a record, and the number stays right', () => {
  const { records, rejectedRequests } = open();
  for (let n = 0; n < 1000; n++)
    rejectedRequests.add({
      address: `10.0.${n >> 8}.${n & 255}`,
      firstLine: 'GET / HTTP/1.1',
      of: 'connections',
    });
  rejectedRequests.flush();
  expect(records.length).toBeLessThan(100);
  const counts = records.map(({ metadata }) => metadata.turned_away as number);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1000);
});
