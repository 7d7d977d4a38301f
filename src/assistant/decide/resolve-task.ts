import type { TaskReference } from '../../contract/chat.ts';
import type { KnownTask } from '../context.ts';
import { isThingOnly, isTypoOf, wordsOf, type Words, isSubset, titleWords } from '../reply/task-words.ts';

/** The tasks that a reference can mean, in display order. */
export interface TaskScope {
  tasks: readonly KnownTask[];
  /** Some tasks are missing, so positions are only known if the list was shown. */
  partial?: boolean;
  /** Ids of the list last shown in the conversation, in its order. */
  shown?: readonly string[];
  /** The last mentioned task. */
  recent?: string;
}

export type Resolved =
  | { kind: 'one'; task: KnownTask; how: string }
  | { kind: 'several'; tasks: KnownTask[]; how: string }
  | { kind: 'none'; near: KnownTask[]; how: string }
  /** The list does not have this position, or its task was deleted. */
  | { kind: 'no_such_position'; length: number; gone: boolean; shown: boolean; how: string };

/** Finds the task that is meant: by exact title, or else by the kind of reference. Never guesses between several. */
export function resolveTask(reference: TaskReference | undefined, scope: TaskScope): Resolved {
  if (!reference) return onlyOne(scope, 'the message names no task');
  const wanted = wordsOf(reference.text);
  const isNamed = reference.kind === 'recent' && reference.task_id !== undefined;
  const exact = isNamed ? [] : byTitle(wanted, scope.tasks);
  if (exact.length > 0) return oneOf(exact, `the title is “${reference.text}”`);
  switch (reference.kind) {
    case 'position':
      return orByName(reference.text, atPosition(reference.position, scope), scope);
    case 'last':
      return lastOne(scope);
    case 'recent':
      return spokenOf(reference.task_id === undefined ? scope : { ...scope, recent: reference.task_id });
    case 'title':
    case 'all':
      return byWords(reference.text, wanted, scope);
    default:
      return reference satisfies never;
  }
}

/** "The other one": of the tasks last shown, not the last mentioned one. */
function theOther(scope: TaskScope): Resolved {
  const ids = new Set(listed(scope));
  const tasks = scope.tasks.filter(({ task_id }) => ids.has(task_id) && task_id !== scope.recent);
  return onlyOne({ ...scope, tasks }, 'it is not the one mentioned last');
}

function byTitle({ key, core }: Words, tasks: readonly KnownTask[]): KnownTask[] {
  if (key === '') return [];
  const same = tasks.filter((task) => titleWords(task).key === key);
  if (same.length > 0 || core === '') return same;
  return tasks.filter((task) => titleWords(task).key === core);
}

function byWords(text: string, wanted: Words, scope: TaskScope): Resolved {
  if (wanted.content.size === 0) return onlyOne(scope, 'the message names no task');
  if (wanted.core === 'other') return theOther(scope);
  const fitting = scope.tasks.filter((task) => fits(wanted, titleWords(task)) && !isThingOnly(text, task));
  if (fitting.length > 0) return oneOf(fitting, `“${text}” is in the title`);
  const near = nearest(wanted.content, scope.tasks);
  return { kind: 'none', near, how: `no title has the words of “${text}”` };
}

/** All words of the reference are in the title, or all that the title says is in the reference. */
function fits(wanted: Words, title: Words): boolean {
  if (isSubset(wanted.content, title.stems)) return true;
  if (title.content.size > 0 && isSubset(title.content, wanted.content)) return true;
  // Scripts without spaces have no words to compare.
  return UNSPACED.test(wanted.core) && wanted.core.length > 1 && title.key.includes(wanted.core);
}

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

const MOST_NEAR = 3;

/** Tasks that share some words, or nearly: to ask about, not to act on. */
function nearest(wanted: ReadonlySet<string>, tasks: readonly KnownTask[]): KnownTask[] {
  const scored = tasks.map((task, order) => ({
    task,
    order,
    score: shared(wanted, titleWords(task).content),
  }));
  return scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.order - b.order)
    .slice(0, MOST_NEAR)
    .map(({ task }) => task);
}

function shared(wanted: ReadonlySet<string>, title: ReadonlySet<string>): number {
  let score = 0;
  for (const word of wanted) if (title.has(word) || hasSlip(word, title)) score++;
  return score;
}

function hasSlip(word: string, title: ReadonlySet<string>): boolean {
  for (const other of title) if (isTypoOf(word, other)) return true;
  return false;
}

function atPosition(position: number, scope: TaskScope): Resolved {
  const ids = listed(scope);
  if (scope.partial && !scope.shown) return { kind: 'none', near: [], how: 'no list was shown to count in' };
  const task = scope.tasks.find(({ task_id }) => task_id === ids[position - 1]);
  const list = scope.shown ? 'the list last shown' : 'the list';
  if (task) return { kind: 'one', task, how: `it is number ${position} of ${list}` };
  const gone = position >= 1 && position <= ids.length;
  return {
    kind: 'no_such_position',
    length: ids.length,
    gone,
    shown: scope.shown !== undefined,
    how: `${list} has no task at number ${position}`,
  };
}

/** The last task of the list that still exists. */
function lastOne(scope: TaskScope): Resolved {
  const ids = listed(scope);
  const there = new Set(scope.tasks.map(({ task_id }) => task_id));
  const position = ids.findLastIndex((id) => there.has(id)) + 1;
  return atPosition(position || ids.length, scope);
}

const COUNTING: ReadonlySet<string> = wordsOf(
  'number no nr num first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth ' +
    'two three four five six seven eight nine ten eleven twelve top bottom final last',
).stems;

/** "Chore 12" is the twelfth task or the one with this title; if these are two tasks, the person is asked. */
function orByName(text: string, counted: Resolved, scope: TaskScope): Resolved {
  const wanted = wordsOf(text);
  const isName = [...wanted.content].some((word) => !/^\d/.test(word) && !COUNTING.has(word));
  const named = isName ? scope.tasks.filter((task) => isSubset(wanted.content, titleWords(task).stems)) : [];
  if (named.length === 0) return counted;
  const also = counted.kind === 'one' && !named.includes(counted.task) ? [counted.task] : [];
  return oneOf([...named, ...also], `“${text}” is a place in the list, and in a title`);
}

function listed(scope: TaskScope): readonly string[] {
  return scope.shown ?? scope.tasks.map(({ task_id }) => task_id);
}

function spokenOf(scope: TaskScope): Resolved {
  const task = scope.tasks.find(({ task_id }) => task_id === scope.recent);
  if (task) return { kind: 'one', task, how: 'it was mentioned last' };
  return onlyOne(scope, 'nothing was mentioned before');
}

/** Without a name only a single task is clear. */
function onlyOne({ tasks }: TaskScope, how: string): Resolved {
  if (tasks.length === 0) return { kind: 'none', near: [], how };
  return oneOf([...tasks], how);
}

function oneOf(tasks: KnownTask[], how: string): Resolved {
  return tasks.length === 1 ? { kind: 'one', task: tasks[0]!, how } : { kind: 'several', tasks, how };
}

const ANY = new Set(
  'all everyth every each both rest remain open whole entir complet finish pend unfinish undon tick check cross off them these those of'.split(
    ' ',
  ),
);
const DONE = /\b(?:completed?|done|finished|ticked|checked|crossed)\b/i;
const OPEN = /\b(?:open|pending|unfinished|undone|remaining|left|not (?:yet )?done|incomplete)\b/i;
const EXCEPT = /\s(?:except(?: for)?|but(?: not)?|besides|apart from|other than|excluding|without)\s/i;

/** Every task that a description fits; all of them if it has no specific words ("all my tasks"). */
export function matchingTasks(text: string, tasks: readonly KnownTask[]): KnownTask[] {
  const [wanted = '', unwanted] = text.split(EXCEPT);
  if (unwanted !== undefined) return allExcept(wanted, unwanted, tasks);
  const of = OPEN.test(text) ? 'pending' : DONE.test(text) ? 'completed' : undefined;
  const candidates = of ? tasks.filter(({ status }) => status === of) : tasks;
  const whole = describedBy(text, candidates);
  const parts = partsOf(text);
  if (whole.length > 0 || parts.length < 2) return whole;
  const each = parts.map((part) => describedBy(part, candidates));
  const named = new Set(each.flat());
  return each.every((some) => some.length > 0) ? candidates.filter((task) => named.has(task)) : [];
}

/** None, if it is not clear what to leave out. */
function allExcept(text: string, unwanted: string, tasks: readonly KnownTask[]): KnownTask[] {
  const kept = new Set(matchingTasks(unwanted, tasks));
  const isClear = kept.size > 0 && kept.size < tasks.length;
  return isClear ? matchingTasks(text, tasks).filter((task) => !kept.has(task)) : [];
}

function describedBy(text: string, tasks: readonly KnownTask[]): KnownTask[] {
  const wanted = new Set([...wordsOf(text).content].filter((word) => !ANY.has(word)));
  return tasks.filter((task) => isSubset(wanted, titleWords(task).stems));
}

/** "milk, bread and eggs" as three parts. */
export function partsOf(text: string): string[] {
  return text
    .split(/,|&|\band\b/i)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
