import type { MessageClause } from '../../contract/chat.ts';
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
  const whole = changedDescription(task.description, change)?.trim();
  const sure = { ...(whole && { text: whole }), isSure: true };
  const oldTime = change.kind === 'when' && reference?.kind === 'title' && isTimeText(reference.text);
  const moved = oldTime ? swapped(task.description, reference.text, change.text) : undefined;
  if (moved !== undefined) return { text: moved, isSure: true };
  if (change.kind !== 'replace' || !reference) return sure;
  const lost = [...titleOf(task).content].filter((word) => !wordsOf(change.text).content.has(word));
  if (reference.kind === 'recent' && reference.task_id === undefined)
    return { ...sure, isSure: !(lost.length > 0 && MAKES.test(said) && !isDeed(change.text)) };
  if (reference.kind !== 'title' || tasksTitled(reference.text, [task]).length > 0) return sure;
  const named = wordsOf(reference.text).content;
  if (lost.every((word) => named.has(word))) return sure;
  const part = NAMES_TASK.test(said)
    ? undefined
    : swapped(task.description, bare(reference.text), change.text);
  const isWhole = isDeed(change.text) && isDeed(task.description);
  if (part === undefined || (isWhole && !isNounToo(change.text))) return { ...sure, isSure: false };
  return { text: part, isSure: !isWhole && !RENAMES.test(said) };
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
