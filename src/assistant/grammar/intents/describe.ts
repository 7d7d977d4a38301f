import { matchStart, textOf, type Span } from '../../language/phrase.ts';
import { phrase } from '../../language/groups.ts';
import { DEEDS } from '../../language/words/deeds.ts';
import type { Clause } from '../reading.ts';

const LEADING = new Set([':', 'to', 'that', 'about', 'of', 'for']);
/** Says nothing about the task itself. */
const TRAILING = new Set(['later', 'please', 'now', 'ok', 'thanks', 'emoji-yes']);

/** The text of a new task: what was said, without the words that led to it; a time that stood elsewhere goes to its end. */
export function describeTask(clause: Clause, what: Span, when?: Span): string | undefined {
  const { clean, tokens } = clause;
  let [from, to] = what;
  from = afterDuty(tokens, [from, to]);
  while (from < to && LEADING.has(tokens[from]!.word) && !tokens[from]!.quoted) from++;
  while (to > from + 1 && TRAILING.has(tokens[to - 1]!.word) && !tokens[to - 1]!.quoted) to--;
  const body = unquote(withSigns(clause, [from, to]));
  const time = when && when[0] !== from ? textOf(clean, tokens, when) : '';
  return body && time ? `${body} ${time}` : body || undefined;
}

const SIGN = /[\p{Sm}\p{Sc}%@&#/\\]/u;
/** Signs that touch the first or the last word belong to the text: "<milk>", "100$". */
function withSigns(clause: Clause, span: Span): string {
  const { clean, tokens } = clause;
  const text = textOf(clean, tokens, span);
  if (span[1] <= span[0]) return text;
  const [start, stop] = widened(clause, span, (character) => SIGN.test(character));
  const before = clean.slice(start, tokens[span[0]]!.start);
  return `${before}${text}${clean.slice(tokens[span[1] - 1]!.end, stop)}`;
}

/** Where a range of words starts and stops in the message, with the characters on both sides that belong to it. */
function widened(
  { clean, tokens }: Clause,
  [from, to]: Span,
  belongs: (character: string) => boolean,
): readonly [start: number, stop: number] {
  let [start, stop] = [tokens[from]!.start, tokens[to - 1]!.end];
  const [least, most] = [tokens[from - 1]?.end ?? 0, tokens[to]?.start ?? clean.length];
  while (start > least && belongs(clean[start - 1]!)) start--;
  while (stop < most && belongs(clean[stop]!)) stop++;
  return [start, stop];
}

const POLITE = new Set(['please', 'pls', 'thanks', 'emoji-yes']);
const SPACE = /\s/u;

/** What an order to add names, just as it was written: none of its words leads to something else, and signs beside them belong to it. */
export function titleText(clause: Clause, [from, to]: Span): string {
  const { clean, tokens } = clause;
  let end = to;
  while (end > from + 1 && POLITE.has(tokens[end - 1]!.word) && !tokens[end - 1]!.quoted) end--;
  const [start, stop] = widened(clause, [from, end], (character) => !SPACE.test(character));
  const words = textOf(clean, tokens, [from, end]);
  const written = clean
    .slice(start, stop)
    .replace(/\s+/g, ' ')
    .replace(/^[\s,.;:!?]+|[\s,.;:!?…]+$/gu, '');
  return unquote(written.length > words.length ? written : words);
}

const DUTY = phrase('that? i|we|you? really|also|still? need|have|must|should|got|ought to?');
/** "(note that) I need to renew it": the task is to renew it. */
function afterDuty(tokens: Clause['tokens'], span: Span): number {
  const end = matchStart(DUTY, tokens, span);
  return end !== undefined && end < span[1] && DEEDS.has(tokens[end]!.word) ? end : span[0];
}

/** Without quotation marks around the whole of it. */
export function unquote(text: string): string {
  return (/^(["'`])([^"`]*)\1$/.exec(text)?.[2] ?? text).trim();
}

const POLITE_END = /(?:,\s*|(?<!\s)\s+)(?:please|pls|thanks|thank you)$/iu;
/** A text as written, without quotation marks, punctuation and courtesies around it. */
export function titleOnly(text: string): string {
  const trim = (part: string) => part.replace(/\s+/g, ' ').replace(/^[\s,.;:!?]+|[\s,.;!?…]+$/gu, '');
  return unquote(trim(trim(text).replace(POLITE_END, '')));
}

/** As many as are made at once. */
export const MOST_TASKS = 20;
/** "call the bank, pay the rent and buy milk" as three. */
export function splitDescription(clause: Clause, [from, to]: Span): string[] {
  const { tokens } = clause;
  const parts: string[] = [];
  let start = from;
  for (let i = from + 1; i <= to; i++) {
    const ends = i === to || tokens[i]!.afterComma || (tokens[i]!.word === 'and' && !tokens[i]!.quoted);
    if (!ends) continue;
    if (tokens[start]!.word === 'and') start++;
    const text = start < i ? describeTask(clause, [start, i]) : undefined;
    if (text) parts.push(text);
    start = i;
  }
  return parts.slice(0, MOST_TASKS);
}
