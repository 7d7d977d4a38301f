import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { editDistance, nearestName } from './edit-distance.ts';

function plainDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    row = next;
  }
  return row[b.length]!;
}

describe('editDistance', () => {
  test('is Levenshtein up to its bound, and above it beyond', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 12 });
    fc.assert(
      fc.property(word, word, fc.integer({ min: 1, max: 8 }), (a, b, bound) => {
        const exact = plainDistance(a, b);
        expect(editDistance(a, b, bound)).toBe(exact <= bound ? exact : bound + 1);
      }),
    );
  });
});

test('nearestName gives the nearest known name, or none', () => {
  const known = ['gitlab', 'github', 'time'];
  expect(
    ['githb', 'GITHUB', 'gitlub', 'tme', 'files', 'x'.repeat(999)].map((name) => nearestName(name, known)),
  ).toEqual(['github', 'github', 'gitlab', 'time', undefined, undefined]);
});
