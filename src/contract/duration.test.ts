import { expect, test } from 'vitest';
import { Duration, durationMs } from './duration.ts';

test.each([
  ['0s', 0],
  ['250ms', 250],
  ['7d', 604_800_000],
  ['1w', 604_800_000],
  ['36500d', 3_153_600_000_000],
])('%s has %i milliseconds', (text, ms) => {
  expect([Duration.safeParse(text).success, durationMs(text)]).toEqual([true, ms]);
});

test.each([
  '36501d',
  '2501999793h',
  `${'9'.repeat(400)}d`,
  '1',
  's',
  '-1s',
  '1.5s',
  '1e3s',
  ' 1s',
  '1s\n',
  '1S',
  '',
])('%j is none', (text) => {
  expect(Duration.safeParse(text).success).toBe(false);
});
