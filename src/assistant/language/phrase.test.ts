import { describe, expect, test } from 'vitest';
import { phrase } from './groups.ts';
import { normalise } from './normalise.ts';
import { LONGEST_MATCH, matchAll, matchStart, textOf } from './phrase.ts';

function match(source: string, text: string): Record<string, string> | undefined {
  const { clean, sentences } = normalise(text);
  const { tokens } = sentences[0]!;
  const slots = matchAll(phrase(source), tokens, [0, tokens.length]);
  return (
    slots &&
    Object.fromEntries(Object.entries(slots).map(([name, span]) => [name, textOf(clean, tokens, span)]))
  );
}

describe('phrases', () => {
  test.each([
    ['add {what}', 'add the milk', { what: 'the milk' }],
    ['add {what}', 'add 🎂 cake for Bob 🎉', { what: '🎂 cake for Bob 🎉' }],
    ['add {what}', 'add buy 🥛', { what: 'buy 🥛' }],
    ['add {what}', 'add buy milk 🙏', { what: 'buy milk' }],
    ['add {what} to @list', 'add milk to my shopping list', { what: 'milk' }],
    ['add {what} to @list', 'add milk to my guest list', undefined],
    ['add {what} to @list', 'add milk to my coffee', undefined],
    [
      'remind me when@when? to {what}',
      'remind me tomorrow at 5 to run',
      { when: 'tomorrow at 5', what: 'run' },
    ],
    ['remind me when@when? to {what}', 'remind me to run', { what: 'run' }],
    ['please* show', 'please please show', {}],
    ['show', 'show me', undefined],
    ['a|b c?', 'b', {}],
    ['add {what?}', 'add', { what: '' }],
    ['add {what}', 'add', undefined],
    ['{what:2} done', 'one two three done', undefined],
  ])('%s on “%s”', (source, text, expected) => {
    expect(match(source, text)).toEqual(expected);
  });

  test('what is quoted is no word of a phrase', () => {
    expect(match('delete {what}', '"delete" this')).toBeUndefined();
    expect(match('add {what}', 'add "delete this"')).toEqual({ what: 'delete this' });
  });

  test('a long range is matched by its beginning, and the last gap takes the rest', () => {
    const long = Array.from({ length: 3 * LONGEST_MATCH }, (_, i) => `w${i}`).join(' ');
    expect(match('add {what}', `add ${long}`)).toEqual({ what: long });
  });

  test('the beginning of a range', () => {
    const { tokens } = normalise('please add milk').sentences[0]!;
    expect(matchStart(phrase('please? add'), tokens, [0, 3])).toBe(2);
    expect(matchStart(phrase('milk'), tokens, [0, 3])).toBeUndefined();
  });

  test('a group that is not there is a mistake in the grammar', () => {
    expect(() => phrase('@nothing')).toThrow('no group');
  });
});
