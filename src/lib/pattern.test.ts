import fc from 'fast-check';
import { expect, test, describe } from 'vitest';
import { cases } from '../../test/fixtures/cases.ts';
import { glob, linearPattern, PatternTooCostly } from './pattern.ts';

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
    { numRuns: cases(2000) },
  );
});

test('many stars and a long text that almost fits: with backtracking this would not end', () => {
  expect(glob(`${'a*'.repeat(200)}b`)('a'.repeat(10_000))).toBe(false);
});

const PATTERNS = [
  '^[a-z][a-z0-9-]{2,10}$',
  '^\\d{4}-\\d{2}-\\d{2}$',
  '^(?:https?|ftp)://[^\\s/$.?#].[^\\s]*$',
  '^[\\w.+-]+@[\\w-]+\\.[\\w.]+$',
  'a|b|cd',
  '(ab)*c+?d?',
  '\\bword\\b',
  '^$',
  '',
  '^\\p{Lu}\\p{L}*$',
  '[^abc]',
  '^[\\]\\-a]+$',
  '^.{2,3}$',
  '\\u0041|\\x42',
  '(?<year>\\d+)x',
  '^(a{0,2}b){2}$',
  '\\B-\\B',
  '^[\\d\\s]*$',
];

describe('agrees with the built-in engine', () => {
  test.each(PATTERNS)('%s', (source) => {
    const linear = linearPattern(source)!;
    const native = new RegExp(source, 'u');
    const alphabet = fc.constantFrom(...'abcdwor019-_.:/@ xyABCÉ]\n𝒳');
    const text = fc.oneof(
      fc.array(alphabet, { maxLength: 12 }).map((characters) => characters.join('')),
      fc.stringMatching(/^[a-d]{0,6}$/),
      fc.constantFrom(
        '2026-11-15',
        'https://example.com/a',
        'me@example.org',
        'a word here',
        'abb',
        'bb',
        'Élan',
      ),
    );
    fc.assert(
      fc.property(text, (value) => {
        expect(linear.test(value)).toBe(native.test(value));
      }),
      { numRuns: cases(300) },
    );
  });
});

test('what it cannot do is said, not guessed', () => {
  for (const source of [
    '(?=a)b',
    '(?<!a)b',
    '(a)\\1',
    '(?<n>a)\\k<n>',
    '(',
    '[',
    'a{1001}{1001}',
    'x'.repeat(2000),
  ])
    expect(linearPattern(source)).toBeUndefined();
});

test('patterns that take a backtracking engine for ever are nothing special', () => {
  const text = `${'a'.repeat(20_000)}!`;
  for (const source of ['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '^(.*)*$', 'a*a*a*a*a*b$', '^([a-z]+)*\\d$'])
    expect(linearPattern(source)!.test(text)).toBe(source === '^(.*)*$');
});

test('a text beyond all measure is given up', () => {
  expect(() => linearPattern('^a*$')!.test('a'.repeat(200_000))).toThrow(PatternTooCostly);
});
