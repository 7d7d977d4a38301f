import type { MessageClause, TaskChange, TaskReference } from '../../contract/chat.ts';
import { tasksWithTitle } from '../command/match-title.ts';
import type { KnownTask } from '../context.ts';
import { NOUN_VERBS, ACTION_VERBS } from '../language/words/action-verbs.ts';
import { wordsOf, titleWords } from '../reply/task-words.ts';

export interface NewText {
  /** Absent if the change does not apply to the old text. */
  text?: string;
  /** Only words that the message names are lost. */
  isSure: boolean;
}

/**
 * The new text of a task. A message that names a task by some of its words may mean only those words ("change milk to oat milk" of "buy
 * milk"): then only they are replaced. If that is unclear, the person is asked.
 */
export function newTextOf(task: KnownTask, clause: MessageClause): NewText {
  const { reference, change } = clause;
  if (!change) return { isSure: false };
  const moved = movedTime(task, reference, change);
  if (moved !== undefined) return { text: moved, isSure: true };
  const whole = changedDescription(task.description, change)?.trim();
  const sure: NewText = { ...(whole && { text: whole }), isSure: true };
  if (change.kind !== 'replace' || !reference) return sure;
  return replacedText(task, { said: clause.text, reference, change }, sure);
}

interface Replacement {
  said: string;
  reference: TaskReference;
  change: TaskChange & { kind: 'replace' };
}

/** The new text where a text replaces another one: all of it, or the part that the message names. */
function replacedText(task: KnownTask, { said, reference, change }: Replacement, sure: NewText): NewText {
  const lost = [...titleWords(task).content].filter((word) => !wordsOf(change.text).content.has(word));
  if (reference.kind !== 'title' && reference.kind !== 'all')
    return { ...sure, isSure: isConfirmed(reference) || !mayKeep(lost, said, change.text) };
  const named = wordsOf(reference.text).content;
  if (!namesPart(task, reference) || lost.every((word) => named.has(word))) return sure;
  return withPart(task, { said, part: reference.text, text: change.text }) ?? { ...sure, isSure: false };
}

/** "Move 5pm to 6pm": the new time replaces the old one. */
function movedTime(
  { description }: KnownTask,
  reference: TaskReference | undefined,
  change: TaskChange,
): string | undefined {
  const isOldTime = change.kind === 'when' && reference?.kind === 'title' && isTimeText(reference.text);
  return isOldTime ? swapped(description, reference.text, change.text) : undefined;
}

/** A question has named the task and its new text. */
function isConfirmed(reference: TaskReference): boolean {
  return reference.kind === 'recent' && reference.task_id !== undefined;
}

/** A task that is not named, and a text without an action verb: the lost words may be meant to stay. */
function mayKeep(lost: readonly string[], said: string, text: string): boolean {
  return lost.length > 0 && !RENAMES.test(said) && !isAction(text);
}

/** Whether the reference has only some words of the title. */
function namesPart(task: KnownTask, { kind, text }: TaskReference): boolean {
  return kind === 'title' && tasksWithTitle(text, [task]).length === 0;
}

/** The old text with only the named part replaced; undefined if the whole text may be meant. */
function withPart(
  { description }: KnownTask,
  { said, part, text }: { said: string; part: string; text: string },
): NewText | undefined {
  const replaced = NAMES_TASK.test(said) ? undefined : swapped(description, bare(part), text);
  const isWhole = isAction(text) && isAction(description);
  if (replaced === undefined || (isWhole && !isNounVerb(text))) return undefined;
  return { text: replaced, isSure: !isWhole && !RENAMES.test(said) && !namesThing(said, part) };
}

/** "Change the lights to blue": a thing, so the new text may be one of its qualities. */
function namesThing(said: string, part: string): boolean {
  return /^(?:please\s+)?change\s+(?:the|my)\s/i.test(said) && !part.includes(' ');
}

const NAMES_TASK = /\b(?:task|todo|to-do|reminder|item|entry|one)\b/i;
const RENAMES = /\b(?:rename|retitle|relabel|call)\b/i;

function bare(text: string): string {
  return text.replace(/^(?:(?:the|a|an|my|our|this|that)\s+)+/i, '');
}

function isAction(text: string): boolean {
  return ACTION_VERBS.has(firstWord(text));
}

function isNounVerb(text: string): boolean {
  return NOUN_VERBS.has(firstWord(text));
}

function firstWord(text: string): string {
  return /^\p{L}+/u.exec(text.toLowerCase())?.[0] ?? '';
}

/** The old text with the change applied; undefined if it does not apply. */
export function changedDescription(old: string, change: TaskChange): string | undefined {
  switch (change.kind) {
    case 'replace':
      return change.text;
    case 'append':
      return `${old} and ${change.text}`;
    case 'swap':
      return swapped(old, change.from, change.text);
    case 'when':
      return atNewTime(old, change.text);
    default:
      return change satisfies never;
  }
}

/** Replaces the first occurrence of `from`, as whole words and without regard to case. */
export function swapped(old: string, from: string, to: string): string | undefined {
  const at = old.toLowerCase().indexOf(from.toLowerCase());
  if (at < 0 || old.toLowerCase().length !== old.length) return undefined;
  const isWord = (character: string | undefined) =>
    character !== undefined && /[\p{L}\p{N}]/u.test(character);
  if (isWord(old[at - 1]) || isWord(old[at + from.length])) return undefined;
  const before = old.slice(0, at);
  const [, own = ''] = /(?:^|\s)(the|at|on|with|in|to|for|by) $/i.exec(before) ?? [];
  const isTwice = own !== '' && to.toLowerCase().startsWith(`${own.toLowerCase()} `);
  return before + (isTwice ? to.slice(own.length + 1) : to) + old.slice(at + from.length);
}

const MONTH =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';
const DATE = `(?:(?:the )?\\d{1,2}(?:st|nd|rd|th)(?: of)?(?: ${MONTH})?|\\d{1,2} ${MONTH}|${MONTH} \\d{1,2}(?:st|nd|rd|th)?|\\d{4}-\\d{2}-\\d{2}|\\d{1,2}/\\d{1,2}(?:/\\d{2,4})?)`;
const WEEK =
  '(?:today|tonight|tomorrow|(?:this |next )?(?:week|month|weekend|morning|afternoon|evening|monday|tuesday|wednesday|thursday|friday|saturday|sunday))';
const DAY = `(?:${WEEK}|${DATE})`;
const CLOCK = "(?:noon|midnight|\\d{1,2}(?::\\d{2})? ?(?:am|pm|a\\.m\\.|p\\.m\\.|o'clock)?)";
const ON_DAY = ` (?:(?:on|by|before|until|till|for) )?${DAY}`;
const AT_CLOCK = ` (?:at|by|before|around|until|till) ${CLOCK}`;
/** A day, a time, or both, at the end of a description: "on friday at 5pm". */
const TIME_AT_END = new RegExp(`(?:${ON_DAY}|${AT_CLOCK})+$`, 'i');
const DAY_THERE = new RegExp(`${ON_DAY}(?= |$)`, 'i');
const CLOCK_THERE = new RegExp(`${AT_CLOCK}(?= |$)`, 'i');
const ONLY_CLOCK = new RegExp(`^${AT_CLOCK}$`, 'i');
/** These include a time of day. */
const TIME_OF_DAY = /\b(?:tonight|morning|afternoon|evening)$|^in /i;
const BARE_CLOCK = new RegExp(`^${CLOCK}$`, 'i');
const WEEKDAY = /^(?:mon|tues|wednes|thurs|fri|satur|sun)day\b/i;
const PREPOSITION = /^(?:on|at|by|before|after|until|till|in|this|next) /i;

/** A new day keeps the time of day, and a new time keeps the day. */
function atNewTime(old: string, when: string): string {
  const text = withPreposition(when);
  const before = TIME_AT_END.exec(old)?.[0] ?? '';
  const rest = old.slice(0, old.length - before.length);
  const inside = before === '' ? timeInside(old, when) : undefined;
  if (inside !== undefined) return inside;
  if (rest === '') return `${old} ${text}`;
  return `${rest}${keptDay(before, text)} ${text}${keptClock(before, text)}`;
}

/** The old day, if the new time names none. */
function keptDay(before: string, text: string): string {
  return ONLY_CLOCK.test(` ${text}`) ? (DAY_THERE.exec(before)?.[0] ?? '') : '';
}

/** The old time of day, if the new one names none. */
function keptClock(before: string, text: string): string {
  const saysClock = CLOCK_THERE.test(` ${text}`) || TIME_OF_DAY.test(text);
  return saysClock ? '' : (CLOCK_THERE.exec(before)?.[0] ?? '');
}

const CLOCK_INSIDE = /\b\d{1,2}(?::\d{2})? ?(?:am|pm)\b|\b\d{1,2}:\d{2}\b/gi;
const WEEKDAY_INSIDE = /\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b/gi;

/** "3pm dentist": replaces the time if the text has exactly one of its kind. */
function timeInside(old: string, when: string): string | undefined {
  const bare = when.replace(PREPOSITION, '');
  const kind = [CLOCK_INSIDE, WEEKDAY_INSIDE].find((pattern) => bare.replace(pattern, '').trim() === '');
  return kind && old.match(kind)?.length === 1 ? old.replace(kind, () => bare) : undefined;
}

const TIME_ALONE = new RegExp(`^(?:${ON_DAY}|${AT_CLOCK})+$|^ ${CLOCK}$`, 'i');
export function isTimeText(text: string): boolean {
  return TIME_ALONE.test(` ${text}`);
}

function withPreposition(when: string): string {
  if (PREPOSITION.test(when)) return when;
  if (BARE_CLOCK.test(when)) return `at ${when}`;
  return WEEKDAY.test(when) ? `on ${when}` : when;
}
