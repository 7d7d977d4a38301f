import { tasksWithTitle } from '../command/match-title.ts';
import type { KnownTask } from '../context.ts';
import { swapped } from '../decide/new-text.ts';
import { normalise } from '../language/normalise.ts';
import { readPositions } from '../language/positions.ts';
import { isTypoOf, titleWords, wordsOf } from '../reply/task-words.ts';

/** What an edit may be about: the list, the task mentioned last, and the list shown last. */
export interface EditScope {
  tasks: readonly KnownTask[];
  recent?: string | undefined;
  shown?: readonly string[] | undefined;
  /** Not all tasks are known, so places in the list are not, either. */
  partial?: boolean | undefined;
}

/** A task of the list, and how it was named. */
export interface NamedTask {
  task: KnownTask;
  /** By its whole title, its place in the list, a pronoun, or words that only its title has. */
  by: 'title' | 'place' | 'pronoun' | 'words';
  /** Those words, or the whole title. */
  said: string;
  /** "The milk one", "the task about milk": the words name the task, not a part of its text. */
  isWhole: boolean;
  /** "The lights" may be a thing instead. */
  isThing?: boolean;
}

const LONGEST = 200;
const PRONOUN = /^(?:it|that|this|(?:that|this|the) (?:one|task|entry|item))$/i;
const ARTICLES = /^(?:(?:the|my|a|an|our|this|that|all) )+/i;
const BEFORE =
  /^(?:(?:the|my) )?(?:other )?(?:text of |title of |name of )?(?:the |my )?(?:task|to-?do|item|reminder|entry|one)(?: (?:called|named|titled|about|with|for|saying|that says|of))? /i;
const AFTER = / (?:thing|task|to-?do|item|reminder|entry|one|text|title|time|date|day)$/i;

/** The one task that a text names: by its exact title, its place, a pronoun, or words that no other title has. */
export function nameTask(text: string, scope: EditScope): NamedTask | undefined {
  const said = unquoted(text.trim().replace(/(?<![\s,:])[\s,:]+$/u, ''));
  if (said === '' || said.length > LONGEST) return undefined;
  const [own, another] = titled(said, scope.tasks);
  if (own) return another ? undefined : { task: own, by: 'title', said, isWhole: true };
  if (PRONOUN.test(said)) {
    const task = spokenOf(scope);
    return task && { task, by: 'pronoun', said, isWhole: true };
  }
  const id = placeOf(said, scope);
  const there = id === undefined ? undefined : scope.tasks.find(({ task_id }) => task_id === id);
  if (there && !isInTitle(said, scope.tasks)) return { task: there, by: 'place', said, isWhole: true };
  // "Change 10 to 15": no tenth task, but a number in a title.
  return id === undefined || isInTitle(said, scope.tasks) ? byWords(said, scope.tasks) : undefined;
}

const TEXT_OF = /^(?:the )?(?:text|title|name|wording|description) of /i;
function titled(said: string, tasks: readonly KnownTask[]): KnownTask[] {
  const found = tasksWithTitle(said, tasks);
  return found.length > 0 ? found : tasksWithTitle(said.replace(TEXT_OF, ''), tasks);
}

/** The message has all of a title of several words: then it is about this task, and other names are only parts of it. */
export function hasTitle(text: string, tasks: readonly KnownTask[]): boolean {
  const key = ` ${wordsOf(text).key} `;
  return tasks.some((task) => {
    const own = titleWords(task).key;
    return own.includes(' ') && key.includes(` ${own} `);
  });
}

/** "The 1st" may be a date in a title. */
function isInTitle(said: string, tasks: readonly KnownTask[]): boolean {
  return (
    /^(?:the )?\d+(?:st|nd|rd|th)?$/i.test(said) &&
    tasks.some(({ description }) => swapped(description, said, '') !== undefined)
  );
}

/** The task that was mentioned last, or the only one. */
export function spokenOf({ tasks, recent }: EditScope): KnownTask | undefined {
  return tasks.find(({ task_id }) => task_id === recent) ?? (tasks.length === 1 ? tasks[0] : undefined);
}

/** The id at a place in the list last shown, or in the list as it is. */
function placeOf(said: string, { tasks, shown, partial }: EditScope): string | undefined {
  const { clean, sentences } = normalise(said);
  const tokens = sentences.flatMap((sentence) => sentence.tokens);
  const [place, another] = readPositions(clean, tokens, [0, tokens.length]) ?? [];
  if (!place || another || (partial && !shown)) return undefined;
  const ids = shown ?? tasks.map(({ task_id }) => task_id);
  return place.kind === 'position' ? (ids[place.position - 1] ?? '') : ids.at(-1);
}

/** "A new entry" is not on the list yet. */
const NEW = /^(?:(?:an?|another|one more) )?(?:new|another) /i;
function byWords(said: string, tasks: readonly KnownTask[]): NamedTask | undefined {
  if (NEW.test(said)) return undefined;
  const bare = said.replace(BEFORE, '').replace(AFTER, '');
  const { content } = wordsOf(bare);
  if (content.size === 0) return undefined;
  const having = withAll([...content], tasks, (word, stems) => stems.has(word));
  const slips = having.length > 0 ? having : withAll([...content], tasks, hasSlip);
  const [task, another] = slips;
  if (!task || another) return undefined;
  return {
    task,
    by: 'words',
    said: bare.replace(ARTICLES, ''),
    isWhole: bare !== said,
    isThing: ARTICLES.test(bare),
  };
}

function withAll(
  words: readonly string[],
  tasks: readonly KnownTask[],
  has: (word: string, stems: ReadonlySet<string>) => boolean,
): KnownTask[] {
  return tasks.filter((task) => words.every((word) => has(word, titleWords(task).stems)));
}

function hasSlip(word: string, stems: ReadonlySet<string>): boolean {
  const isSlip = (own: string) => own[0] === word[0] && isTypoOf(word, own);
  return stems.has(word) || (word.length > 4 && [...stems].some(isSlip));
}

export function unquoted(text: string): string {
  return (/^(["'`“])([^"`”]*)["'`”]$/.exec(text)?.[2] ?? text).trim();
}
