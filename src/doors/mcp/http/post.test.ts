import { once } from 'node:events';
import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createBodyBudget, type ReserveBody } from '../../../load/body-budget.ts';
import { readBody } from './post.ts';

const MAX = 1_000_000;
let budget: ReturnType<typeof createBodyBudget>;
let reserved: number[] = [];
// Each test has a budget of its own: the reservations of the one before may not have ended yet.
beforeEach(() => {
  budget = createBodyBudget({ activeBytes: 100_000, queuedBytes: 100_000, waitMs: 50 });
  reserved = [];
});
const reserve: ReserveBody = (bytes) => (reserved.push(bytes), budget('a', bytes));

const server = createServer((req, res: ServerResponse) => {
  readBody(req, {
    maxBytes: MAX,
    reserve,
    done(text, isValid, reservation) {
      res.end(`${text.length} ${isValid}`);
      reservation?.release();
    },
    rejected: (why) => res.end(why),
  });
});
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => void server.close());

async function sent(body: string, headers: Record<string, number> = {}): Promise<string> {
  const { port } = server.address() as AddressInfo;
  const req = request({ port, host: '127.0.0.1', method: 'POST', headers });
  req.on('error', () => undefined);
  for (let from = 0; from < body.length; from += 50_000) req.write(body.slice(from, from + 50_000));
  req.end();
  const [res] = await once(req, 'response');
  let text = '';
  for await (const part of res) text += part;
  return text;
}

test.each<[string, number, boolean, string, number[]]>([
  ['a short body', 60_000, true, '60000 true', []],
  ['a long body with its length announced', 90_000, true, '90000 true', [90_000]],
  ['a long body without', 90_000, false, '90000 true', [Infinity]],
  ['a body over the limit with its length announced', MAX + 1, true, 'too large', []],
  ['a body over the limit without', MAX + 1, false, 'too large', [Infinity]],
])('%s reserves the bytes that it needs', async (_case, ...[length, announced, answer, bytes]) => {
  expect(await sent('x'.repeat(length), announced ? { 'content-length': length } : {})).toBe(answer);
  expect(reserved).toEqual(bytes);
});

test('a body without room in the budget is rejected', async () => {
  const other = budget('a', 100_000);
  expect(await other.granted).toBe(true);
  other.arrived();
  expect(await sent('x'.repeat(90_000), { 'content-length': 90_000 })).toBe('no room');
  expect(await sent('x'.repeat(90_000))).toBe('no room');
  expect(await sent('x'.repeat(9))).toBe('9 true');
  other.release();
});
