import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createGrowth } from './growth.ts';

const MB = 1_048_576;

async function looksAfter(
  writes: number,
  bytes: number,
  limits: { max_records: number; max_size_mb: number },
) {
  let looks = 0;
  const grew = createGrowth(
    () => limits,
    () => void looks++,
  );
  for (let i = 0; i < writes; i++) grew(bytes);
  await turn();
  return looks;
}

test('retention looks at the log as it grows: at every fiftieth of its records or of its size, whichever comes first', async () => {
  expect(await looksAfter(1999, 1, { max_records: 100_000, max_size_mb: 1024 })).toBe(0);
  expect(await looksAfter(2000, 1, { max_records: 100_000, max_size_mb: 1024 })).toBe(1);
  expect(await looksAfter(10, MB, { max_records: 100_000, max_size_mb: 500 })).toBe(1);
  expect(await looksAfter(9, MB, { max_records: 100_000, max_size_mb: 500 })).toBe(0);
});

test('a small limit is no reason to look at every write', async () => {
  expect(await looksAfter(99, 1, { max_records: 100, max_size_mb: 1 })).toBe(0);
  expect(await looksAfter(200, 1, { max_records: 100, max_size_mb: 1 })).toBe(2);
});
