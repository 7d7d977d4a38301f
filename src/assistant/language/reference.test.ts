import { describe, expect, test } from 'vitest';
import { normalise } from './normalise.ts';
import { findTarget } from './reference.ts';

function target(text: string) {
  const { clean, sentences } = normalise(text);
  const { tokens } = sentences[0]!;
  return findTarget(clean, tokens, [0, tokens.length]);
}

describe('which task is meant', () => {
  test.each([
    ['task 2', 'task', { kind: 'position', position: 2 }],
    ['#3', 'task', { kind: 'position', position: 3 }],
    ['number four', 'task', { kind: 'position', position: 4 }],
    ['the second one', 'task', { kind: 'position', position: 2 }],
    ['my 3rd reminder', 'task', { kind: 'position', position: 3 }],
    ['the last one', 'task', { kind: 'last' }],
    ['the first aid kit', 'plain', { kind: 'title', text: 'first aid kit' }],
    ['second hand books', 'plain', { kind: 'title', text: 'second hand books' }],
    ['the one about taxes', 'task', { kind: 'title', text: 'taxes' }],
    ['it', 'task', { kind: 'recent' }],
    ['that task', 'task', { kind: 'recent' }],
    ['the groceries task', 'task', { kind: 'title', text: 'groceries' }],
    ['my reminder to call Bob', 'task', { kind: 'title', text: 'call Bob' }],
    ['the task called Weekly review', 'task', { kind: 'title', text: 'Weekly review' }],
    ['milk from my shopping list', 'task', { kind: 'title', text: 'milk' }],
    ['buy milk', 'title', { kind: 'title', text: 'buy milk' }],
    ['all my tasks', 'task', { kind: 'all' }],
    ['everything on my list', 'task', { kind: 'all' }],
    ['my to do list', 'task', { kind: 'all' }],
    ['all reminders for friday', 'task', { kind: 'all' }],
    ['my account', 'foreign', { kind: 'title' }],
    ['tomorrow', 'foreign', { kind: 'title' }],
  ])('%s', (text, plainness, reference) => {
    const found = target(text);
    expect(found?.plainness).toBe(plainness);
    expect(found?.references[0]).toMatchObject(reference);
  });

  test('several places at once', () => {
    const positions = (text: string) =>
      target(text)?.references.map((reference) =>
        'position' in reference ? reference.position : reference.kind,
      );
    expect(positions('1, 3 and 4')).toEqual([1, 3, 4]);
    expect(positions('the first and the last one')).toEqual([1, 'last']);
    expect(positions('the first three')).toEqual([1, 2, 3]);
    expect(positions('first two tasks')).toEqual([1, 2]);
    expect(positions('the last two')).toEqual(['title']);
    expect(positions('the 2nd last')).toEqual(['title']);
    expect(positions('100')).toEqual(['title']);
  });
});
