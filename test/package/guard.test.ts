import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { changesSince, judge, namedCommits } from '../../bench/guard-judge.ts';

// The guard of speed judges given samples. That it notices real work is shown by `npm run bench:guard -- --self-test`.

const cells = (ratio: (cell: number, round: number) => number) =>
  Array.from({ length: 16 }, (_, cell) => Array.from({ length: 7 }, (_, round) => ratio(cell, round)));
const noise = (cell: number, round: number) => 1 + (((cell * 7 + round * 5) % 11) - 5) / 100;

test.each([
  ['the same speed with noise', noise, false],
  ['twelve of a hundred slower', (...at: [number, number]) => 1.12 * noise(...at), true],
  ['five of a hundred slower is within the limit', (...at: [number, number]) => 1.05 * noise(...at), false],
  ['faster', (...at: [number, number]) => 0.8 * noise(...at), false],
  ['slower on average, but only by chance', (_: number, round: number) => (round < 4 ? 1.09 : 0.8), false],
])('%s', (_name, ratio, isSlower) => {
  expect(judge(cells(ratio)).isSlower).toBe(isSlower);
});

test('the page names the commits of its run; changes since then are said', () => {
  const named = namedCommits(readFileSync(new URL('../../docs/performance.md', import.meta.url), 'utf8'));
  expect(named).toEqual({
    now: expect.stringMatching(/^[0-9a-f]+$/),
    base: expect.stringMatching(/^[0-9a-f]+$/),
  });
  const changes = changesSince(named!.now) ?? [];
  if (changes.length > 0)
    console.warn(
      `docs/performance.md is of commit ${named!.now}; the code of a call has changed ${changes.length} times since. Before a release: npm run bench:guard -- --doc`,
    );
});
