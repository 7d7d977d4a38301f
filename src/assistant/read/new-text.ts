import type { MessageClause, TaskChange, TaskReference } from '../../contract/chat.ts';
import { changedDescription, isTimeText, swapped } from './change-description.ts';
import { tasksTitled } from '../command/same-title.ts';
import type { KnownTask } from '../context.ts';
import { NOUNS_TOO } from '../grammar/nouns-too.ts';
import { DEEDS } from '../language/words/deeds.ts';
import { wordsOf } from '../reply/task-words.ts';
import { titleOf } from '../reply/title-words.ts';

export interface NewText {
  /** Absent where the change does not fit the old text. */
  text?: string;
  /** Nothing is lost but what the message names. */
  isSure: boolean;
}

/**
 * The text that a change gives a task. Who names a task by some of its words may mean those words only ("change milk to oat milk" of "buy
 * milk"): then only they are replaced, and where it is not clear, it is asked.
 */
export function newTextOf(task: KnownTask, { text: said, reference, change }: MessageClause): NewText {
  if (!change) return { isSure: false };
  const moved = movedTime(task, reference, change);
  if (moved !== undefined) return { text: moved, isSure: true };
  const whole = changedDescription(task.description, change)?.trim();
  const sure: NewText = { ...(whole && { text: whole }), isSure: true };
  if (change.kind !== 'replace' || !reference) return sure;
  const lost = [...titleOf(task).content].filter((word) => !wordsOf(change.text).content.has(word));
  if (reference.kind === 'recent')
    return { ...sure, isSure: reference.task_id !== undefined || !mayKeep(lost, said, change.text) };
  const named = wordsOf(reference.text).content;
  if (!namesPart(task, reference) || lost.every((word) => named.has(word))) return sure;
  return withPart(task, { said, part: reference.text, text: change.text }) ?? { ...sure, isSure: false };
}

/** "Move 5pm to 6pm": the old time gives way to the new one. */
function movedTime(
  { description }: KnownTask,
  reference: TaskReference | undefined,
  change: TaskChange,
): string | undefined {
  const isOldTime = change.kind === 'when' && reference?.kind === 'title' && isTimeText(reference.text);
  return isOldTime ? swapped(description, reference.text, change.text) : undefined;
}

/** "Make it …" with something that is no deed: the words that would be lost may be meant to stay. */
function mayKeep(lost: readonly string[], said: string, text: string): boolean {
  return lost.length > 0 && MAKES.test(said) && !isDeed(text);
}

/** Named by some words of its title, not by the title. */
function namesPart(task: KnownTask, { kind, text }: TaskReference): boolean {
  return kind === 'title' && tasksTitled(text, [task]).length === 0;
}

/** The old text with only the named part replaced; undefined where the new text may be meant for all of it. */
function withPart(
  { description }: KnownTask,
  { said, part, text }: { said: string; part: string; text: string },
): NewText | undefined {
  const replaced = NAMES_TASK.test(said) ? undefined : swapped(description, bare(part), text);
  const isWhole = isDeed(text) && isDeed(description);
  if (replaced === undefined || (isWhole && !isNounToo(text))) return undefined;
  return { text: replaced, isSure: !isWhole && !RENAMES.test(said) };
}

const NAMES_TASK = /\b(?:task|todo|to-do|reminder|item|entry|one)\b/i;
const RENAMES = /\b(?:rename|retitle|relabel|call)\b/i;
const MAKES = /\bmake\b/i;

function bare(text: string): string {
  return text.replace(/^(?:(?:the|a|an|my|our|this|that)\s+)+/i, '');
}

function isDeed(text: string): boolean {
  return DEEDS.has(firstWord(text));
}

function isNounToo(text: string): boolean {
  return NOUNS_TOO.has(firstWord(text));
}

function firstWord(text: string): string {
  return /^\p{L}+/u.exec(text.toLowerCase())?.[0] ?? '';
}
