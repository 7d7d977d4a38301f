import { expect, test } from 'vitest';
import { FairQueue } from './fair-queue.ts';

const item = (client: string, n: number) => ({ client, n });

test('clients are served in turn, each in the order it came', () => {
  const queue = new FairQueue<{ client: string; n: number }>();
  for (const n of [1, 2, 3]) queue.add(item('a', n));
  queue.add(item('b', 1));
  queue.add(item('c', 1));
  const order = [];
  for (let next = queue.next(); next; next = queue.next()) order.push(`${next.client}${next.n}`);
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'a3']);
  expect(queue.size).toBe(0);
});

test('the newest of the longest line makes room, never for a line as long', () => {
  const queue = new FairQueue<{ client: string; n: number }>();
  for (const n of [1, 2, 3]) queue.add(item('a', n));
  expect(queue.displacedBy('a')).toBeUndefined();
  expect(queue.displacedBy('b')).toMatchObject({ client: 'a', n: 3 });
  queue.add(item('b', 1));
  expect(queue.displacedBy('b')).toBeUndefined();
  expect([...queue].length).toBe(queue.size);
});
