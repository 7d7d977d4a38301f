import type { TaskReference } from '../contract/assistant.ts';
import type { KnownTask } from './context.ts';
import { allStems, contentStems, coreKey, isSlip, titleKey } from './task-words.ts';

/** What a reference can mean: the tasks that come into question, in the order in which they are shown. */
export interface Sight {
  tasks: readonly KnownTask[];
  /** Some tasks are not here, so that a place in the list is only known where the list was shown. */
  partial?: boolean;
  /** Ids of the list last shown in the conversation, in its order. */
  shown?: readonly string[];
  /** The one task that was spoken of last. */
  recent?: string;
}

export type Resolved =
  | { kind: 'one'; task: KnownTask; how: string }
  | { kind: 'several'; tasks: KnownTask[]; how: string }
  | { kind: 'none'; near: KnownTask[]; how: string }
  /** A position that the list does not have, or whose task is gone. */
  | { kind: 'no_such_position'; length: number; how: string };

/** Finds the task that is meant: by its exact title, else as the message says it. More than one is never guessed between. */
export function resolveTask(reference: TaskReference | undefined, sight: Sight): Resolved {
  if (!reference) return onlyOne(sight, 'the message names no task');
  const exact = byTitle(reference.text, sight.tasks);
  if (exact.length > 0) return oneOf(exact, `the title is “${reference.text}”`);
  switch (reference.kind) {
    case 'position':
      return atPosition(reference.position, sight);
    case 'last':
      return atPosition(listed(sight).length, sight);
    case 'recent':
      return spokenOf(sight);
    case 'title':
    case 'all':
      return byWords(reference.text, sight);
    default:
      return reference satisfies never;
  }
}

/** Every task that a description in words fits; all of them where it has no words of its own ("all my tasks"). */
export function resolveAll(text: string, tasks: readonly KnownTask[]): KnownTask[] {
  const wanted = contentStems(text);
  for (const word of [
    'all',
    'everyth',
    'every',
    'each',
    'both',
    'rest',
    'remain',
    'open',
    'whole',
    'entir',
    'complet',
    'finish',
  ])
    wanted.delete(word);
  if (wanted.size === 0) return [...tasks];
  return tasks.filter((task) => isWithin(wanted, allStems(task.description)));
}

function byTitle(text: string, tasks: readonly KnownTask[]): KnownTask[] {
  const whole = titleKey(text);
  if (whole === '') return [];
  const same = tasks.filter((task) => titleKey(task.description) === whole);
  if (same.length > 0) return same;
  const core = coreKey(text);
  return core === '' ? [] : tasks.filter((task) => titleKey(task.description) === core);
}

function byWords(text: string, sight: Sight): Resolved {
  const wanted = contentStems(text);
  if (wanted.size === 0) return onlyOne(sight, 'the message names no task of its own');
  const how = `“${text}” is in the title`;
  const fitting = sight.tasks.filter((task) => fits(text, wanted, task.description));
  if (fitting.length > 0) return oneOf(fitting, how);
  return { kind: 'none', near: nearest(wanted, sight.tasks), how: `no title has the words of “${text}”` };
}

/** All words of the reference are in the title, or all that the title says is in the reference. */
function fits(text: string, wanted: Set<string>, description: string): boolean {
  if (isWithin(wanted, allStems(description))) return true;
  const said = contentStems(description);
  if (said.size > 0 && isWithin(said, wanted)) return true;
  // Scripts without spaces have no words to compare.
  const core = coreKey(text);
  return UNSPACED.test(core) && core.length > 1 && titleKey(description).includes(core);
}

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

function isWithin(part: ReadonlySet<string>, whole: ReadonlySet<string>): boolean {
  for (const word of part) if (!whole.has(word)) return false;
  return true;
}

const MOST_NEAR = 3;

/** Good enough to ask about, not to act on: some words are shared, or nearly so. */
function nearest(wanted: Set<string>, tasks: readonly KnownTask[]): KnownTask[] {
  const scored = tasks.map((task, order) => ({ task, order, score: shared(wanted, task.description) }));
  return scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.order - b.order)
    .slice(0, MOST_NEAR)
    .map(({ task }) => task);
}

function shared(wanted: Set<string>, description: string): number {
  const words = [...contentStems(description)];
  let score = 0;
  for (const word of wanted) if (words.some((other) => isSlip(word, other))) score++;
  return score;
}

function atPosition(position: number, sight: Sight): Resolved {
  const ids = listed(sight);
  if (sight.partial && !sight.shown) return { kind: 'none', near: [], how: 'no list was shown to count in' };
  const task = sight.tasks.find(({ task_id }) => task_id === ids[position - 1]);
  const list = sight.shown ? 'the list last shown' : 'the list';
  if (task) return { kind: 'one', task, how: `it is number ${position} of ${list}` };
  return { kind: 'no_such_position', length: ids.length, how: `${list} has no task at number ${position}` };
}

function listed(sight: Sight): readonly string[] {
  return sight.shown ?? sight.tasks.map(({ task_id }) => task_id);
}

function spokenOf(sight: Sight): Resolved {
  const task = sight.tasks.find(({ task_id }) => task_id === sight.recent);
  if (task) return { kind: 'one', task, how: 'it was spoken of last' };
  return onlyOne(sight, 'nothing was spoken of before');
}

/** Without a name there is no choice to make only where there is one task. */
function onlyOne({ tasks }: Sight, how: string): Resolved {
  if (tasks.length === 0) return { kind: 'none', near: [], how };
  return oneOf([...tasks], how);
}

function oneOf(tasks: KnownTask[], how: string): Resolved {
  return tasks.length === 1 ? { kind: 'one', task: tasks[0]!, how } : { kind: 'several', tasks, how };
}
