import type { MessageClause, TaskChange, TaskReference } from '../../contract/chat.ts';
import { tasksWithTitle } from '../command/match-title.ts';
import type { KnownTask } from '../context.ts';
import { NOUN_VERBS, ACTION_VERBS } from '../language/words/action-verbs.ts';
import { wordsOf, titleWords } from '../reply/task-words.ts';
import { atNewTime, isAmbiguousTime, isTimeText } from './new-time.ts';

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
  const found = textFor(task, clause);
  return clause.unsure ? { ...found, isSure: false } : found;
}

function textFor(task: KnownTask, clause: MessageClause): NewText {
  const { reference, change } = clause;
  if (!change) return { isSure: false };
  const moved = movedTime(task, reference, change);
  if (moved !== undefined) return { text: moved, isSure: true };
  const whole = changedDescription(task.description, change)?.trim();
  const isOneTime = change.kind !== 'when' || !isAmbiguousTime(task.description, change.text);
  const sure: NewText = { ...(whole && { text: whole }), isSure: isOneTime };
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
      return appended(old, change.text);
    case 'swap':
      return swapped(old, change.from, change.text);
    case 'when':
      return atNewTime(old, change.text);
    default:
      return change satisfies never;
  }
}

/** What is in quotation marks continues the text; a thing is one more of its things. */
function appended(old: string, text: string): string {
  const quoted = /^(["'])(.+)\1$/.exec(text)?.[2];
  return quoted === undefined ? `${old} and ${text}` : `${old} ${quoted}`;
}

const LED = /(?:^|\s)(?:at|on|with|in|to|for|by|about|re) $/i;
const LEAD = /^(?:at|on|with|in|to|for|by|about|re) (?=\S)/i;
/** Replaces the first occurrence of `from`, as whole words and without regard to case. */
export function swapped(old: string, from: string, to: string): string | undefined {
  const at = old.toLowerCase().indexOf(from.toLowerCase());
  if (at < 0 || old.toLowerCase().length !== old.length) return undefined;
  const isWord = (character: string | undefined) =>
    character !== undefined && /[\p{L}\p{N}]/u.test(character);
  const after = old.slice(at + from.length);
  // "9" is no word of "9.30".
  if (isWord(old[at - 1]) || isWord(after[0]) || (/\d$/.test(from) && /^[.:,]\d/.test(after)))
    return undefined;
  const before = old.slice(0, at);
  // "Re about Easter", "the the gym": one word leads to it already.
  const isLed = LED.test(before) && !LED.test(`${from} `);
  const said = isLed ? to.replace(LEAD, '') : /(?:^|\s)the $/i.test(before) ? to.replace(/^the /i, '') : to;
  return before + said + old.slice(at + from.length);
}
