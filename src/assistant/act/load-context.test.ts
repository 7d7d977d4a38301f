import { expect, test } from 'vitest';
import { taskId, tasksNamed } from '../../../test/fixtures/assistant.ts';
import { relevantTasks } from './load-context.ts';

const many = tasksNamed(
  ...Array.from({ length: 1000 }, (_, i) => (i % 10 === 3 ? `buy milk ${i}` : `call person ${i}`)),
);
const none = new Set<string>();

test('an ordinary list is kept whole', () => {
  const tasks = many.slice(0, 200);
  expect(relevantTasks({ tasks, total: 200 }, { message: 'anything', ids: none })).toEqual({
    tasks,
    listed: 200,
    total: 200,
  });
});

test('of a long one, what the message may mean and what was spoken of, in order', () => {
  const ids = new Set([taskId(1), taskId(1000)]);
  const { tasks, listed, total } = relevantTasks(
    { tasks: many, total: 4000 },
    { message: 'complete the mlik task', ids },
  );
  expect([tasks.length, listed, total]).toEqual([102, 1000, 4000]);
  expect([tasks[0]!.task_id, tasks.at(-1)!.task_id]).toEqual([taskId(1), taskId(1000)]);
});

test('never more than can be stored', () => {
  const { tasks } = relevantTasks(
    { tasks: many, total: 1000 },
    { message: 'call', ids: new Set([taskId(1000)]) },
  );
  expect(tasks.length).toBe(201);
});
