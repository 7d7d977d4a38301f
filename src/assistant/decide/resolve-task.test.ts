import { describe, expect, test } from 'vitest';
import { referenceTo, taskId, tasksNamed } from '../../../test/fixtures/assistant.ts';
import { matchingTasks, resolveTask } from './resolve-task.ts';
import { isTypoOf } from '../reply/task-words.ts';

const found = (
  reference: string,
  tasks: string[],
  more: { shown?: string[]; recent?: string; partial?: boolean } = {},
) => {
  const got = resolveTask(referenceTo(reference), { tasks: tasksNamed(...tasks), ...more });
  return got.kind === 'one'
    ? got.task.description
    : got.kind === 'several'
      ? got.tasks.map(({ description }) => description)
      : got.kind;
};

describe('by title', () => {
  test.each<[string, string[], string | string[]]>([
    ['buy milk', ['buy milk', 'buy milk and bread'], 'buy milk'],
    ['BUY MILK!', ['buy milk', 'buy milk and bread'], 'buy milk'],
    ['“buy milk”', ['Buy milk.', 'buy milk and bread'], 'Buy milk.'],
    ['the groceries task', ['groceries', 'buy groceries'], 'groceries'],
    ['the groceries task', ['buy groceries', 'call mom'], 'buy groceries'],
    ['milk', ['buy milk', 'buy oat milk'], ['buy milk', 'buy oat milk']],
    ['buy milk', ['buy milk', 'buy milk'], ['buy milk', 'buy milk']],
    ['bought the groceries', ['buy groceries', 'call mom'], 'buy groceries'],
    ['calling mom', ['buy groceries', 'call mom'], 'call mom'],
    ['paid the electricity bill', ['pay electricity bill', 'pay rent'], 'pay electricity bill'],
    ['writing the report for bob', ['write report', 'pay rent'], 'write report'],
    ['first aid kit', ['buy first aid kit', 'call mom'], 'buy first aid kit'],
    ['mom’s birthday', ["plan mom's birthday", 'call mom'], "plan mom's birthday"],
    ['牛乳', ['牛乳を買う', '母に電話する'], '牛乳を買う'],
    ['gym', ['buy milk'], 'none'],
    ['the', ['buy milk', 'call mom'], ['buy milk', 'call mom']],
    ['the task', ['buy milk'], 'buy milk'],
    ['café', ['meet Ana at the cafe\u0301'], 'meet Ana at the cafe\u0301'],
  ])('%s among %j', (reference, tasks, expected) => {
    expect(found(reference, tasks)).toEqual(expected);
  });

  test('what is only near is told, not taken', () => {
    const got = resolveTask(referenceTo('the grocries'), { tasks: tasksNamed('buy groceries', 'call mom') });
    expect(got).toMatchObject({ kind: 'none', near: [{ description: 'buy groceries' }] });
  });
});

describe('by position', () => {
  test('where parts of the list are out of sight, only one that was shown has places', () => {
    expect(found('#1', ['a', 'b'], { partial: true })).toBe('none');
    expect(found('#1', ['a', 'b'], { partial: true, shown: [taskId(2)] })).toBe('b');
  });
  test.each<[string, { shown?: string[]; recent?: string }, string | string[]]>([
    ['$', { shown: [taskId(1), taskId(2), taskId(9)] }, 'b'],
    ['other', { shown: [taskId(1), taskId(2)], recent: taskId(1) }, 'b'],
    ['the other one', { shown: [taskId(2), taskId(9)] }, 'b'],
    ['the other one', {}, ['a', 'b', 'c']],
  ])('%s of the list %j', (reference, more, expected) => {
    expect(found(reference, ['a', 'b', 'c'], more)).toEqual(expected);
  });
  test.each<[string, number, string[], string | string[]]>([
    [
      'chore 2',
      2,
      ['chore number 3', 'chore number 4', 'chore number 2'],
      ['chore number 2', 'chore number 4'],
    ],
    ['chore 2', 2, ['chore number 1', 'chore number 2'], 'chore number 2'],
    ['the second one', 2, ['write the second draft', 'call mom'], 'call mom'],
    ['the fifth one', 2, ['read the fifth book', 'call mom'], 'call mom'],
    ['number 2', 2, ['chore number 2', 'call mom'], 'call mom'],
    ['task 2', 2, ['wash 2 cars', 'call mom'], 'call mom'],
  ])('%s, as a place and as a name among %j', (...[text, position, tasks, expected]) => {
    const got = resolveTask({ kind: 'position', text, position }, { tasks: tasksNamed(...tasks) });
    expect(
      'tasks' in got
        ? got.tasks.map(({ description }) => description).sort()
        : 'task' in got && got.task.description,
    ).toEqual(expected);
  });
  test('zero tasks', () => {
    expect(found('#1', [])).toBe('no_such_position');
    expect(found('$', [])).toBe('no_such_position');
  });
});

test.each<[string, string[]]>([
  ['both milk and bread', ['buy milk', 'buy bread']],
  ['all the buy tasks', ['buy milk', 'buy bread']],
  ['both milk and gym', []],
  ['everything', ['buy milk', 'buy bread', 'call mom']],
])('all that fit %s', (text, expected) => {
  const tasks = tasksNamed('buy milk', 'buy bread', 'call mom');
  expect(matchingTasks(text, tasks).map(({ description }) => description)).toEqual(expected);
});

test.each<[string, string, boolean]>([
  ['milk', 'mlik', true],
  ['groceries', 'grocries', true],
  ['groceries', 'groceriess', true],
  ['report', 'repost', true],
  ['mom', 'mum', false],
  ['milk', 'silt', false],
  ['bread', 'break fast', false],
])('%s and %s: one slip? %s', (a, b, expected) => {
  expect([isTypoOf(a, b), isTypoOf(b, a)]).toEqual([expected, expected]);
});
