import { expect, test } from 'vitest';
import { createTakeUp } from './take-up.ts';

const numbers = Array.from({ length: 1000 }, (_, i) => i);
const slowly = () => {
  for (const end = performance.now() + 0.05; performance.now() < end;);
};

test('everything is taken up in its order, and others get their turn meanwhile', async () => {
  const takeUp = createTakeUp();
  const [seen, turns]: [number[], number[]] = [[], []];
  const state = { over: false };
  takeUp.later(
    's',
    numbers,
    (n) => (slowly(), void seen.push(n)),
    () => (state.over = true),
  );
  expect(seen).toEqual([]);
  while (!state.over) {
    await new Promise(setImmediate);
    turns.push(seen.length);
  }
  expect(seen).toEqual(numbers);
  expect(new Set(turns).size).toBeGreaterThan(2);
});

test('what the server has replaced is left, and done is told all the same', async () => {
  const takeUp = createTakeUp();
  const [seen, done]: [string[], string[]] = [[], []];
  takeUp.later(
    's',
    numbers,
    () => (slowly(), void seen.push('old')),
    () => void done.push('old'),
  );
  takeUp.later(
    'other',
    numbers.slice(0, 5),
    () => void seen.push('other'),
    () => void done.push('other'),
  );
  takeUp.stop('s');
  takeUp.later(
    's',
    numbers.slice(0, 5),
    () => void seen.push('new'),
    () => void done.push('new'),
  );
  await takeUp.idle();
  expect(seen.toSorted()).toEqual([...Array(5).fill('new'), ...Array(5).fill('other')]);
  expect(done.toSorted()).toEqual(['new', 'old', 'other']);
});

test('an item that cannot be taken up ends it, is told, and harms nobody else', async () => {
  const takeUp = createTakeUp();
  const broken = new Error('no such thing');
  const told = await new Promise((resolve) =>
    takeUp.later(
      's',
      numbers,
      (n) => {
        if (n === 3) throw broken;
      },
      resolve,
    ),
  );
  expect(told).toBe(broken);
  await takeUp.idle();
});
