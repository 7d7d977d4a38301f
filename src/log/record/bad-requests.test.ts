import { expect, test } from 'vitest';
import { literalActivity, type Recorded } from '../../../test/fixtures/mcp-harness.ts';
import { createLog } from '../../lib/log.ts';
import { createBadRequests, type BadRequest } from './bad-requests.ts';

const PER_MINUTE = 10;
const REFUSED = { record: 'UNAUTHORIZED', message: 'wrong' };

function setUp() {
  const { records, activity } = literalActivity();
  const time = { now: 0 };
  const clock = { now: () => time.now };
  const bad = createBadRequests({ activity, log: createLog('silent'), clock, perMinute: PER_MINUTE });
  const send = async (count: number, from: Partial<BadRequest>, refused = REFUSED) => {
    for (let i = 0; i < count; i++)
      await bad.add(refused, {
        principal: 'unknown',
        requestId: `r${i}`,
        excerpt: () => `GET /${i}`,
        ...from,
      });
  };
  return { records, time, bad, send };
}

const requests = (records: Recorded[]) =>
  records.reduce((sum, { metadata }) => sum + Number(metadata?.left_out ?? 1), 0);
const sums = (records: Recorded[]) => records.filter(({ metadata }) => metadata?.left_out !== undefined);

test('each sender has a quota of its own: a token, even with the name of another, and an address', async () => {
  const { records, send } = setUp();
  await send(50, { principal: 'token:a', tokenId: 'T1' });
  await send(50, { principal: 'token:a', tokenId: 'T2' });
  await send(50, { address: '192.0.2.1' });
  await send(1, { address: '192.0.2.2' });
  expect(records).toHaveLength(3 * PER_MINUTE + 1);
});

test('sums are kept by sender and code, with what the first one left out asked for', async () => {
  const { records, bad, send, time } = setUp();
  await send(12, { principal: 'token:a', tokenId: 'T1' });
  await send(3, { principal: 'token:a', tokenId: 'T1' }, { record: 'INVALID_REQUEST', message: 'no' });
  await send(11, { address: '192.0.2.1' });
  time.now = 60_000;
  bad.flush();
  await send(1, { principal: 'token:a', tokenId: 'T1' });
  expect(sums(records)).toMatchObject([
    {
      error_code: 'UNAUTHORIZED',
      arguments: { excerpt: 'GET /10' },
      metadata: { principal: 'token:a', token_id: 'T1', left_out: 2 },
    },
    { error_code: 'INVALID_REQUEST', metadata: { principal: 'token:a', token_id: 'T1', left_out: 3 } },
    {
      error_code: 'UNAUTHORIZED',
      metadata: { principal: 'unknown', client_address: '192.0.2.1', left_out: 1 },
    },
  ]);
  expect(requests(records)).toBe(12 + 3 + 11 + 1);
});

test('with very many addresses there is a bound on records and sums, every request counts, and callers with a token are named', async () => {
  const { records, bad, send } = setUp();
  for (let i = 0; i < 5_000; i++) await send(2, { address: `2001:db8::${i.toString(16)}` });
  await send(1, { principal: 'token:a', tokenId: 'T1' });
  bad.flush(true);
  expect(records.length).toBeLessThan(700);
  expect(requests(records)).toBe(10_001);
  expect(records.filter(({ metadata }) => metadata?.principal === 'token:a')).toHaveLength(1);
  expect(sums(records).at(-1)).toMatchObject({ metadata: { client_address: 'further addresses' } });
});
