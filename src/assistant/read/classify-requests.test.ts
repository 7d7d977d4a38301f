import { describe, expect, test } from 'vitest';
import { classify } from './classify.ts';

const read = (message: string) => {
  const { user_intent, clauses } = classify({ message });
  return { ...user_intent, change: clauses[0]?.change, clauses };
};

describe('new tasks', () => {
  test.each([
    ['add meeting with Ann on friday at 10', 'meeting with Ann on friday at 10'],
    ['add dentist 12/05/2026 14:00', 'dentist 12/05/2026 14:00'],
    ['add read https://example.com/a?b=c&d=1', 'read https://example.com/a?b=c&d=1'],
    ['add read https://example.com/a.', 'read https://example.com/a'],
    ['add 🚀🚀🚀', '🚀🚀🚀'],
    ['add 🎉 party 🎂', '🎉 party 🎂'],
    ['add **bold** `code`', '**bold** `code`'],
    ['add `buy milk`', 'buy milk'],
  ])('%s', (message, description) => {
    expect(read(message)).toMatchObject({ intent_type: 'CREATE_TASK', extracted_params: { description } });
  });

  test.each(['add 5 and 7', 'add 12, 14 and 9'])('a sum is none: %s', (message) => {
    expect(read(message).intent_type).not.toBe('CREATE_TASK');
  });
});

describe('done, or not', () => {
  test.each([
    ['complete tea and jam', 'tea and jam'],
    ['complete both milk and bread', 'milk and bread'],
    ['complete 3 pears', '3 pears'],
    ['complete 🥛', '🥛'],
    ['can you tick that off then please', 'that'],
    ['would you mind completing buy milk?', 'buy milk'],
  ])('%s', (message, task_reference) => {
    expect(read(message)).toMatchObject({
      intent_type: 'COMPLETE_TASK',
      extracted_params: { task_reference },
    });
  });

  test('"the one I just added" is the last one spoken of', () => {
    const [clause] = read('complete the one I just added').clauses;
    expect([clause?.user_intent.intent_type, clause?.reference?.kind]).toEqual(['COMPLETE_TASK', 'recent']);
  });

  test('a range is every place in it', () => {
    const places = read('complete 3-5').clauses.map(({ reference }) => reference);
    expect(places.map((place) => place?.kind === 'position' && place.position)).toEqual([3, 4, 5]);
  });

  test.each([
    'mark buy milk as not done',
    'mark milk not done',
    'mark task 2 as undone',
    'milk is not done yet',
  ])('%s completes nothing', (message) => {
    expect(read(message).intent_type).not.toBe('COMPLETE_TASK');
  });
});

describe('changes', () => {
  test.each([
    ['make it buy two gifts', { kind: 'replace', text: 'buy two gifts' }],
    ['actually make it "finish the thesis"', { kind: 'replace', text: 'finish the thesis' }],
    ['actually make it monday at noon', { kind: 'when', text: 'monday at noon' }],
    ['append "and butter" to milk', { kind: 'append', text: 'and butter' }],
    ['append "and butter" to it', { kind: 'append', text: 'and butter' }],
    ['edit call mom', undefined],
    ['rename it', undefined],
  ])('%s', (message, change) => {
    const got = read(message);
    expect([got.intent_type, got.change]).toEqual(['UPDATE_TASK', change]);
  });

  test.each(['make it stop', 'make it work', 'make it rain'])('%s changes no task', (message) => {
    expect(read(message).intent_type).not.toBe('UPDATE_TASK');
  });

  test('a wrong one is another task, no other text', () => {
    expect(read('oops wrong one, I meant bread').change).toBeUndefined();
  });
});

test.each([
  ['delete running', 'running'],
  ['would you mind deleting milk?', 'milk'],
  ['delete 🥛', '🥛'],
])('a delete: %s', (message, task_reference) => {
  expect(read(message)).toMatchObject({ intent_type: 'DELETE_TASK', extracted_params: { task_reference } });
});

test.each(['complete and utter rubbish', 'complete waste of time', 'delete yourself'])(
  '%s is not acted upon',
  (message) => {
    expect(['GENERAL_CHAT', 'AMBIGUOUS']).toContain(read(message).intent_type);
  },
);

test('no name is lost from a row of deletes', () => {
  expect(read('delete tea and jam').clauses.map(({ text }) => text)).toEqual(['delete tea and jam']);
});
