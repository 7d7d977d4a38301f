import { DESCRIPTION_MAX_LENGTH } from '../../contract/assistant.ts';
import { matchStart, textOf, type Span } from '../phrase.ts';
import { phrase } from '../words/groups.ts';
import { DEEDS } from '../words/verbs.ts';
import type { Clause } from './reading.ts';

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
  const body = unquote(textOf(clean, tokens, [from, to]));
  if (!body) return undefined;
  const time = when ? textOf(clean, tokens, when) : '';
  return [...(time ? `${body} ${time}` : body)].slice(0, DESCRIPTION_MAX_LENGTH).join('');
}

const DUTY = phrase('that? i|we|you? really|also|still? need|have|must|should|got|ought to?');
/** "(note that) I need to renew it": the task is to renew it. */
function afterDuty(tokens: Clause['tokens'], span: Span): number {
  const end = matchStart(DUTY, tokens, span);
  return end !== undefined && end < span[1] && DEEDS.has(tokens[end]!.word) ? end : span[0];
}

export function unquote(text: string): string {
  return text.replace(/^["'\s]+|["'\s]+$/g, '');
}
