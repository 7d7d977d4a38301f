import { expect, test } from 'vitest';
import { textsIn } from './fingerprints.ts';

/** Counts how many of its items were looked at. */
function counting(length: number, item: unknown): { list: unknown[]; seen: () => number } {
  let seen = 0;
  const list = new Proxy(
    Array.from({ length }, () => item),
    {
      get(items, key, receiver) {
        if (typeof key === 'string' && /^\d+$/.test(key)) seen++;
        return Reflect.get(items, key, receiver) as unknown;
      },
    },
  );
  return { list, seen: () => seen };
}

test.each([
  ['texts', 'word'],
  ['numbers', 7],
  ['lists', []],
])('of a long list of %s only as much is looked at as is read', (_, item) => {
  const { list, seen } = counting(100_000, item);
  const { values } = textsIn({ list }, ' ', 1000);
  expect(values.length).toBeLessThanOrEqual(1005);
  expect(seen()).toBeLessThanOrEqual(1001);
});

test('what fits is read whole, keys apart', () => {
  expect(textsIn({ a: ['x', { b: 'y' }], c: 'z' }, '-', 1000)).toEqual({ values: '-x-y-z', keys: '-a-b-c' });
});
