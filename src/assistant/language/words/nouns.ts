import type { Token } from '../token.ts';
import { wordsGroup, type Group, type Span } from '../phrase.ts';
import { FOREIGN } from './foreign.ts';

const set = (text: string) => new Set(text.split(/\s+/));

/** What the assistant keeps. A clause that names one of these is about tasks. */
const TASK = set('task todo reminder chore errand');
const BEFORE_NOUN = set('todo task list action reminder');
const TASKS = set('tasks todos reminders chores errands reminds');
/** May mean a task when the rest of the clause mentions tasks. */
export const LOOSE_TASK = set(
  'item items entry entries thing things one ones job jobs assignment assignments stuff',
);
export const DETERMINERS = set(
  'a an the my our this that these those some any another new all every each both his her their your its',
);

export const taskNoun: Group = nounGroup(TASK, 'item');
const tasksWord: Group = nounGroup(TASKS, 'items');
export const tasksNoun: Group = (tokens, at, end) => [
  ...tasksWord(tokens, at, end),
  ...thingsToDo(tokens, at, end).filter((to) => to >= end || !PLACES.has(tokens[to]!.word)),
];
/** "Things to do in Paris" are sights. */
const PLACES = set('in around near nearby outside abroad');

/** One of the nouns, or a pair such as "todo item". */
function nounGroup(nouns: ReadonlySet<string>, item: string): Group {
  return (tokens, at, end) => {
    const token = tokens[at];
    if (at >= end || !token || token.quoted) return [];
    const next = at + 1 < end ? tokens[at + 1]!.word : '';
    if (BEFORE_NOUN.has(token.word) && (next === item || nouns.has(next))) return [at + 2];
    return nouns.has(token.word) && next !== 'list' && next !== 'lists' ? [at + 1] : [];
  };
}

const thingsToDo = wordsGroup([
  'things to do',
  'stuff to do',
  'things i need to do',
  'things i have to do',
  'stuff i need to do',
  'stuff i have to do',
  'todo things',
]);

export function isTaskNoun(word: string): boolean {
  return TASK.has(word) || TASKS.has(word);
}

export function namesTask(tokens: readonly Token[], [from, to]: Span): boolean {
  for (let i = from; i < to; i++) if (!tokens[i]!.quoted && isTaskNoun(tokens[i]!.word)) return true;
  return false;
}

/** Lists of other things: nobody keeps tasks on them. */
const OTHER_LISTS = set(
  `guest guests contact contacts friend friends mailing email price waiting wait black white watch play class player linked python word
   invite invitation team attendance blocked block follow subscriber wine cast set short no-fly dean's voter donor javascript java
   dropdown html numbered bulleted bullet reading track favorites favourite channel music song songs movie movies netflix`,
);
const LIST = set('list lists checklist agenda backlog planner to-do-list todolist');
const NOT_IN_LIST_NAME = set(
  `to on onto in into from off and or is are be i you me it what how that do does did have has had can could would will add put if for
   of with about at not as please remove delete take which the my our a an this your :`,
);

/** "my to do list", "the grocery list", "list of things to do", "my tasks". The determiner belongs to it. */
export const listEnds: Group = (tokens, at, end) => {
  const ends: number[] = [];
  const from = afterDeterminers(tokens, at, end);
  for (let name = from; name < end && name <= from + 3 && !tokens[name]!.quoted; name++) {
    const word = tokens[name]!.word;
    const named = listWordEnds(tokens, name, end);
    if (named) return named.length > 0 ? [...named, ...ends] : [];
    if (OTHER_LISTS.has(word) || NOT_IN_LIST_NAME.has(word)) break;
    const isFirst = name === from && from > at;
    if (isTasks(tokens, name) || (isFirst && isTodoAlone(tokens, name, end))) ends.unshift(name + 1);
  }
  return ends;
};

function afterDeterminers(tokens: readonly Token[], at: number, end: number): number {
  let i = at;
  while (i < end && (DETERMINERS.has(tokens[i]!.word) || tokens[i]!.word === 'of') && i < at + 4) i++;
  return i;
}

/** Where a list ends whose word for "list" stands here; none for a list of other things. */
function listWordEnds(tokens: readonly Token[], at: number, end: number): number[] | undefined {
  if (!LIST.has(tokens[at]!.word)) return undefined;
  if (isOfOthers(tokens, at + 1, end)) return [];
  return LIST.has(tokens[at + 1]?.word ?? '') ? undefined : [...TAIL_OF_LIST(tokens, at + 1, end), at + 1];
}

function isTasks(tokens: readonly Token[], at: number): boolean {
  return TASKS.has(tokens[at]!.word) && tokens[at + 1]?.word !== 'list';
}

/** "list of my credit cards". */
function isOfOthers(tokens: readonly Token[], at: number, end: number): boolean {
  if (at >= end || tokens[at]!.word !== 'of') return false;
  return tokens.slice(at + 1, Math.min(end, at + 6)).some(({ word, quoted }) => FOREIGN.has(word) && !quoted);
}

/** "on my todo" is the list, "my todo to call Bob" one entry. */
function isTodoAlone(tokens: readonly Token[], at: number, end: number): boolean {
  return tokens[at]!.word === 'todo' && (at + 1 >= end || AFTER_LIST.has(tokens[at + 1]!.word));
}
const AFTER_LIST = set('for today tomorrow this please and');

const TAIL_OF_LIST = wordsGroup([
  'of things to do',
  'of things to buy',
  'of things to get',
  'of things to remember',
  'of things i need to do',
  'of things i have to do',
  'of things i need',
  'of things to get done',
  'of things',
  'of stuff to do',
  'of tasks to complete',
  'of tasks to do',
  'of tasks',
  'of todos',
  'of todo items',
  'of reminders',
  'of chores',
  'of errands',
  'of items to buy',
  'of items',
  'of groceries',
  'of shopping',
  'to do',
  'for shopping',
  'for groceries',
  'for work',
  'for home',
  'for me',
]);

/** The list that stands somewhere in the range, if one does. */
export function findList(tokens: readonly Token[], [from, to]: Span): Span | undefined {
  for (let i = from; i < to; i++) {
    const other = OTHER_LISTS.has(tokens[i - 1]?.word ?? '');
    const end = tokens[i]!.quoted || other ? undefined : listEnds(tokens, i, to)[0];
    if (end) return [i, end];
  }
  return undefined;
}

const OWN = set(
  'my our the of to do todo task tasks shopping grocery groceries chore chores errand errands reminder reminders weekly daily work',
);
/** The list is called what lists of tasks are called: "my shopping list", "the list". A "wine list" or "laugh list" may be another's. */
const TASK_LISTS = set(
  'todo task tasks shopping grocery groceries chore chores errand errands to-do-list todolist reminder reminders',
);
/** "My shopping list": whatever stands on it is an item of it. */
export function namesTaskList(tokens: readonly Token[], span: Span): boolean {
  const list = findList(tokens, span);
  return list !== undefined && tokens.slice(...list).some(({ word }) => TASK_LISTS.has(word));
}

export function namesOwnList(tokens: readonly Token[], span: Span): boolean {
  const list = findList(tokens, span);
  return list !== undefined && tokens.slice(...list).every(({ word }) => OWN.has(word) || LIST.has(word));
}
