import { visibleLine } from '../../lib/visible-text.ts';
import type { KnownTask, Step } from '../context.ts';
import { isSubset, titleWords, wordsOf } from './task-words.ts';
import type { ErrorCode } from '../../contract/errors.ts';

const SHOWN_LENGTH = 200;

/** Untrusted text in a reply: on one line, visible, and shortened. */
export function quote(text: string): string {
  return `“${shorten(text)}”`;
}

export function shorten(text: string, length = SHOWN_LENGTH): string {
  const characters = Array.from(text);
  return visibleLine(characters.length > length ? `${characters.slice(0, length - 1).join('')}…` : text);
}

export function countOf(n: number, what: string): string {
  return `${n === 1 ? 'one' : n} ${what}${n === 1 ? '' : 's'}`;
}

/** A wish with its object in quotation marks: 'add “bread”' for "add bread". */
export function describeWish(wish: string): string {
  if (wish === SHOW_WISH) return 'show you your tasks';
  const [verb, ...rest] = wish.split(' ');
  return rest.length > 0 ? `${verb} ${quote(rest.join(' '))}` : wish;
}

/** What a person says to see the list. */
export const SHOW_WISH = 'show my tasks';

/** "a", "a and b", "a, b and c". */
export function joinWords(parts: string[], word = 'and'): string {
  if (parts.length < 2) return parts.join('');
  return `${parts.slice(0, -1).join(', ')} ${word} ${parts.at(-1)}`;
}

/** A numbered list; the numbers are what "the second one" refers to. */
export function numberedList(tasks: readonly KnownTask[]): string {
  return lines(tasks, 1, ({ status }) => (status === 'completed' ? ' (done)' : ''));
}

function lines(
  tasks: readonly KnownTask[],
  from: number,
  mark: (task: KnownTask) => string = () => '',
): string {
  return tasks.map((task, i) => `${from + i}. ${shorten(task.description)}${mark(task)}`).join('\n');
}

export const MOST_OPEN = 50;
export const MOST_DONE = 10;

/** Open tasks first, oldest first, so that a new task does not move the numbers of the others; then what was done, latest first. */
export function inShownOrder(newestFirst: readonly KnownTask[]): KnownTask[] {
  const open = newestFirst.filter(({ status }) => status === 'pending').reverse();
  return [...open, ...newestFirst.filter(({ status }) => status === 'completed')];
}

export interface ShownList {
  text: string;
  ids: string[];
}

/** The whole list as an answer. `total` may be more than could be read. */
export function describeList(tasks: readonly KnownTask[], total: number): ShownList {
  const open = tasks.filter(({ status }) => status === 'pending');
  const done = tasks.filter(({ status }) => status === 'completed');
  const shown = [...open.slice(0, MOST_OPEN), ...done.slice(0, MOST_DONE)];
  const unseen = total - tasks.length;
  return { ids: shown.map(({ task_id }) => task_id), text: listText(open, done, unseen) };
}

/** The part of the list that was asked for, and what it was filtered by. */
export function describePart(tasks: readonly KnownTask[], filter: NonNullable<Step['filter']>): ShownList {
  const found = tasks.filter((task) => isIn(task, filter));
  const shown = found.slice(0, MOST_OPEN);
  const by = (noun: string) => filterText(noun, filter);
  const ids = shown.map(({ task_id }) => task_id);
  if (found.length === 0)
    return { ids, text: `There is no ${by('task')}. Say “show my tasks” to see the whole list.` };
  const head = found.length === 1 ? `One ${by('task')}` : `${found.length} ${by('tasks')}`;
  if (filter.count)
    return { ids, text: `${head}. Say “show my tasks” to see ${found.length === 1 ? 'it' : 'them'}.` };
  return { ids, text: `${head}:\n${numberedList(shown)}${more(found.length - shown.length)}` };
}

function isIn(task: KnownTask, { status, words, shown }: NonNullable<Step['filter']>): boolean {
  if (status && task.status !== status) return false;
  if (shown?.includes(task.task_id)) return false;
  return words === undefined || isSubset(wordsOf(words).content, titleWords(task).stems);
}

function filterText(noun: string, { status, words, more: isMore }: NonNullable<Step['filter']>): string {
  const state =
    status === 'pending' ? 'open ' : status === 'completed' ? 'finished ' : isMore ? 'other ' : '';
  return `${state}${noun} on your list${words === undefined ? '' : ` with the words ${quote(words)}`}`;
}

function listText(open: KnownTask[], done: KnownTask[], unseen: number): string {
  const older = unseen > 0 ? `\n${olderTasks(unseen)}` : '';
  if (open.length + done.length === 0)
    return `Your list is empty. Say “add buy milk”, for example, to put something on it.${older}`;
  const firstOpen = open.slice(0, MOST_OPEN);
  const head =
    open.length === 0
      ? 'Everything on your list is done.'
      : `You have ${countOf(open.length, 'task')} to do:\n${lines(firstOpen, 1)}${more(open.length - firstOpen.length)}`;
  const firstDone = done.slice(0, MOST_DONE);
  const tail =
    done.length === 0
      ? ''
      : `\nDone:\n${lines(firstDone, firstOpen.length + 1)}${more(done.length - firstDone.length)}`;
  const next = open.length > 0 ? '\nSay “complete 1”, for example, when you have done the first.' : '';
  return head + tail + older + next;
}

function olderTasks(n: number): string {
  return n === 1
    ? 'There is one older task that I cannot show here.'
    : `There are ${n} older tasks that I cannot show here.`;
}

function more(n: number): string {
  return n > 0 ? `\n… and ${n} more` : '';
}

const NOT_ALLOWED = ': that is not allowed here.';
const SWITCHED_OFF = ': that is switched off here.';
const APPROVAL = ': it needs an approval first, which is pending.';
/** Codes after which trying again does not help. */
const BARRED: Partial<Record<ErrorCode, string>> = {
  APPROVAL_DENIED: NOT_ALLOWED,
  POLICY_REFUSED: NOT_ALLOWED,
  OUT_OF_SCOPE: NOT_ALLOWED,
  SERVER_MISMATCH: NOT_ALLOWED,
  TOOL_DISABLED: SWITCHED_OFF,
  TOOL_WITHHELD: SWITCHED_OFF,
  TOOL_NOT_FOUND: SWITCHED_OFF,
};

export function isPermanent(code: ErrorCode | undefined): boolean {
  return code !== undefined && BARRED[code] !== undefined;
}

/** Why something was not done; the end of a sentence. */
export function failureReason(code: ErrorCode | undefined): string {
  if (code === undefined) return ': it may have been removed or changed in the meantime.';
  return code === 'APPROVAL_PENDING' ? APPROVAL : (BARRED[code] ?? ' just now.');
}

/** Says that the list could not be read. */
export function unreadableListText(code?: ErrorCode): string {
  if (code === 'APPROVAL_PENDING' || isPermanent(code))
    return `I could not read your list${failureReason(code)}`;
  return 'I cannot read your list just now; please try again in a moment.';
}
