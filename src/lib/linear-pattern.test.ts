import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { linearPattern, PatternTooCostly } from './linear-pattern.ts';

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
      { numRuns: 300 },
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
