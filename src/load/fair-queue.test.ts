import { describe, expect, test } from 'vitest';
import { FairQueue, hasFairShare } from './fair-queue.ts';

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

test('the newest call of the longest queue is displaced, but not for a queue of the same length', () => {
  const queue = new FairQueue<{ client: string; n: number }>();
  for (const n of [1, 2, 3]) queue.add(item('a', n));
  expect(queue.displaceFor('a')).toBeUndefined();
  expect(queue.displaceFor('b')).toMatchObject({ client: 'a', n: 3 });
  queue.add(item('b', 1));
  expect(queue.displaceFor('b')).toBeUndefined();
  expect([...queue].length).toBe(queue.size);
});

/** Takes slots for each client in turn until no client may take more. */
function fill(clients: number, limit: number): number[] {
  const held = Array.from({ length: clients }, () => 0);
  const taken = () => held.reduce((sum, own) => sum + own, 0);
  for (let before = -1; before !== taken();) {
    before = taken();
    for (const i of held.keys()) if (hasFairShare(held[i]!, taken(), limit)) held[i]!++;
  }
  return held;
}

describe('the share of one client', () => {
  test('is four fifths where it is alone', () => {
    expect(fill(1, 1000)).toEqual([800]);
    expect(fill(1, 1)).toEqual([1]);
  });

  test('leaves room for one more client, however many take all they can', () => {
    for (const clients of [1, 2, 10, 100]) {
      const held = fill(clients, 1000);
      const taken = held.reduce((sum, own) => sum + own, 0);
      expect(hasFairShare(0, taken, 1000)).toBe(true);
      expect(Math.max(...held) - Math.min(...held)).toBeLessThanOrEqual(1);
    }
  });

  test('is nothing where nothing is left', () => {
    expect(hasFairShare(0, 5, 5)).toBe(false);
  });
});
