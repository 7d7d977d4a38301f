import { expect, test } from 'vitest';
import { createBackgroundSlices } from './background-slices.ts';

const numbers = Array.from({ length: 1000 }, (_, i) => i);
const slowly = () => {
  for (const end = performance.now() + 0.05; performance.now() < end;);
};

test('all items are processed in order, and other work gets its turn in between', async () => {
  const slices = createBackgroundSlices();
  const [seen, turns]: [number[], number[]] = [[], []];
  const state = { over: false };
  slices.run('s', {
    items: numbers,
    each: (n) => (slowly(), void seen.push(n)),
    done: () => (state.over = true),
  });
  expect(seen).toEqual([]);
  while (!state.over) {
    await new Promise(setImmediate);
    turns.push(seen.length);
  }
  expect(seen).toEqual(numbers);
  expect(new Set(turns).size).toBeGreaterThan(2);
});

test('stopped work is dropped, and its done is still called', async () => {
  const slices = createBackgroundSlices();
  const [seen, done]: [string[], string[]] = [[], []];
  slices.run('s', {
    items: numbers,
    each: () => (slowly(), void seen.push('old')),
    done: () => void done.push('old'),
  });
  slices.run('other', {
    items: numbers.slice(0, 5),
    each: () => void seen.push('other'),
    done: () => void done.push('other'),
  });
  slices.stop('s');
  slices.run('s', {
    items: numbers.slice(0, 5),
    each: () => void seen.push('new'),
    done: () => void done.push('new'),
  });
  await slices.idle();
  expect(seen.toSorted()).toEqual([...Array(5).fill('new'), ...Array(5).fill('other')]);
  expect(done.toSorted()).toEqual(['new', 'old', 'other']);
});

test('an item that throws ends the work, and done receives the error', async () => {
  const slices = createBackgroundSlices();
  const broken = new Error('no such thing');
  const told = await new Promise((resolve) =>
    slices.run('s', {
      items: numbers,
      each: (n) => {
        if (n === 3) throw broken;
      },
      done: resolve,
    }),
  );
  expect(told).toBe(broken);
  await slices.idle();
});
