import { describe, expect, test } from 'vitest';
import { normalise } from './normalise.ts';
import { correctSpelling } from './spelling.ts';

const words = (text: string) =>
  normalise(text).sentences.map(({ tokens }) => tokens.map(({ word }) => word).join(' '));

describe('words of a message', () => {
  test.each([
    ["I'd like what's on my to-do list", ['i would like what is on my todo list']],
    ['dont forget to ring mum', ['dont-forget to ring mum']],
    ["Don't let me forget the milk", ['dont-forget the milk']],
    ['my to do list', ['my todo list']],
    ['what do i have to do', ['what do i have to do']],
    ['todo - buy milk', ['todo : buy milk']],
    ['work - related things', ['work related things']],
    ['at 2 p.m. on Monday. Then home!', ['at 2 p.m on monday', 'then home']],
    ['Thanks.That is all', ['thanks that is all']],
    ['rmnd me 2 call nan l8r', ['remind me to call nan later']],
    ['task 2 to friday', ['task 2 to friday']],
    ['2 -> buy oat milk', ['2 to buy oat milk']],
    ["the laundry's done", ['the laundry is done']],
    ["mom's birthday", ["mom's birthday"]],
    ['ＦＵＬＬ width', ['full width']],
    ['zero\u200bwidth \u202eturned', ['zerowidth turned']],
    ['👍', ['emoji-yes']],
    ['a 🥛 b', ['a b']],
    ['', []],
    ['...', []],
  ])('%j', (text, expected) => {
    expect(words(text)).toEqual(expected);
  });

  test('what stands in quotation marks is kept as written and marked', () => {
    const { sentences } = normalise('add "Don’t panic." to my list');
    const quoted = sentences.flatMap(({ tokens }) => tokens).filter((token) => token.quoted);
    expect(sentences).toHaveLength(1);
    expect(quoted.map(({ word }) => word)).toEqual(["don't", 'panic']);
  });

  test('every word knows its place in the cleaned message', () => {
    const { clean, sentences } = normalise('Add  MILK, please');
    expect(sentences[0]!.tokens.map(({ start, end }) => clean.slice(start, end))).toEqual([
      'Add',
      'MILK',
      'please',
    ]);
  });

  test('a question is known by its mark', () => {
    expect(normalise('done? yes.').sentences.map(({ question }) => question)).toEqual([true, false]);
  });
});

describe('slips of the finger', () => {
  test.each([
    ['remnid', 'remind'],
    ['delte', 'delete'],
    ['compleet', 'complete'],
    ['compelte', 'complete'],
    ['tommorow', 'tommorow'],
    ['remote', 'remote'],
    ['removed', 'removed'],
    ['cancer', 'cancer'],
    ['create', 'create'],
    ['crate', 'crate'],
    ['lisr', 'list'],
    ['taks', 'task'],
    ['grocer', 'grocer'],
  ])('%s is read as %s', (typed, meant) => {
    expect(correctSpelling(typed)).toBe(meant);
  });
});
