import fc from 'fast-check';
import { expect, test } from 'vitest';
import { glob } from './glob.ts';

test.each([
  ['github', 'github', true],
  ['github', 'github2', false],
  ['*', '', true],
  ['*', 'anything', true],
  ['git*', 'github', true],
  ['git*', 'gi', false],
  ['*_issue', 'create_issue', true],
  ['*_issue', 'create_issues', false],
  ['a*a', 'a', false],
  ['a*a', 'aa', true],
  ['a*b*c', 'a-b-c', true],
  ['a*b*c', 'a-c-b', false],
  ['a*bc*bc', 'abc', false],
  ['a**c', 'abc', true],
  ['.*', 'x', false],
  ['[a-z]', 'b', false],
  ['Git*', 'github', false],
])('%s against %s: %s', (pattern, text, matches) => {
  expect(glob(pattern)(text)).toBe(matches);
});

/** The obvious definition, too slow for use. */
function naive(pattern: string, text: string): boolean {
  if (pattern === '') return text === '';
  if (pattern[0] === '*')
    return naive(pattern.slice(1), text) || (text !== '' && naive(pattern, text.slice(1)));
  return text !== '' && pattern[0] === text[0] && naive(pattern.slice(1), text.slice(1));
}

test('agrees with the definition', () => {
  const letters = (alphabet: string[], maxLength: number) =>
    fc.string({ unit: fc.constantFrom(...alphabet), maxLength });
  fc.assert(
    fc.property(letters(['a', 'b', '*'], 8), letters(['a', 'b'], 10), (pattern, text) => {
      expect(glob(pattern)(text)).toBe(naive(pattern, text));
    }),
    { numRuns: 2000 },
  );
});

test('many stars and a long text that almost fits: with backtracking this would not end', () => {
  expect(glob(`${'a*'.repeat(200)}b`)('a'.repeat(10_000))).toBe(false);
});
