import { once } from 'node:events';
import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLongRoom, type AskRoom } from '../../../load/long-room.ts';
import { readBody } from './read-body.ts';

const MAX = 1_000_000;
const ask = createLongRoom({ atOnce: 100_000, waiting: 100_000, waitMs: 50, slowMs: 50 });
let asked: number[] = [];
const room: AskRoom = (bytes) => (asked.push(bytes), ask('a', bytes));

const server = createServer((req, res: ServerResponse) => {
  readBody(req, {
    maxBytes: MAX,
    room,
    done(text, isValid, place) {
      res.end(`${text.length} ${isValid}`);
      place?.leave();
    },
    refused: (why) => res.end(why),
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
  ['a short one', 60_000, true, '60000 true', []],
  ['a long one that says so', 90_000, true, '90000 true', [90_000]],
  ['a long one that does not', 90_000, false, '90000 true', [Infinity]],
  ['one over the limit that says so', MAX + 1, true, 'too large', []],
  ['one over the limit that does not', MAX + 1, false, 'too large', [Infinity]],
])('%s asks for the room that it needs', async (_, length, announced, said, bytes) => {
  asked = [];
  expect(await sent('x'.repeat(length), announced ? { 'content-length': length } : {})).toBe(said);
  expect(asked).toEqual(bytes);
});

test('what there is no room for is refused', async () => {
  const held = ask('a', 100_000);
  await held.ready;
  held.arrived();
  expect(await sent('x'.repeat(90_000), { 'content-length': 90_000 })).toBe('no room');
  expect(await sent('x'.repeat(90_000))).toBe('no room');
  expect(await sent('x'.repeat(9))).toBe('9 true');
  held.leave();
});
