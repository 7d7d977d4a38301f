import { matchAll, type Phrase, type Slots, type Span, matchStart, textOf } from '../../language/phrase.ts';
import { FOREIGN } from '../../language/words/foreign.ts';
import type { Clause, Reading } from '../reading.ts';
import { phrase } from '../../language/groups.ts';
import { ACTION_VERBS } from '../../language/words/action-verbs.ts';

const LEADING = new Set([':', 'to', 'that', 'about', 'of', 'for']);
/** Says nothing about the task itself. */
const TRAILING = new Set(['later', 'please', 'now', 'ok', 'thanks', 'emoji-yes']);

/** The text of a new task: what was said, without the words that led to it; a time that stood elsewhere goes to its end. */
export function taskText(clause: Clause, what: Span, when?: Span): string | undefined {
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
  { clean, tokens }: Pick<Clause, 'clean' | 'tokens'>,
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

/** What a command to add names, just as it was written: none of its words leads to something else, and signs beside them belong to it. */
export function titleText(clause: Pick<Clause, 'clean' | 'tokens'>, [from, to]: Span): string {
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
  return end !== undefined && end < span[1] && ACTION_VERBS.has(tokens[end]!.word) ? end : span[0];
}

/** Without quotation marks around the whole of it. */
export function unquote(text: string): string {
  return (/^(["'`])([^"`]*)\1$/.exec(text)?.[2] ?? text).trim();
}

/** As many as are made at once. */
export const MOST_TASKS = 20;
/** "Two tasks: call the bank, buy bread and butter": between commas; the last part also at its "and", unless the number says otherwise. */
export function splitDescription(clause: Clause, what: Span): string[] {
  const { tokens, core } = clause;
  const rows = betweenCommas(clause, what);
  const [from, to] = rows.at(-1)!;
  const and = tokens.slice(0, to).findLastIndex((token, i) => i > from && isAnd(token));
  const isCounted = tokens.slice(core[0], what[0]).some(({ word }) => countOf(word) === rows.length);
  const last: Span[] =
    and > from && !isCounted
      ? [
          [from, and],
          [and + 1, to],
        ]
      : [[from, to]];
  return [...rows.slice(0, -1), ...last].flatMap((span) => titleText(clause, span) || []);
}
const NUMBERS = 'one two three four five six seven eight nine ten'.split(' ');
const countOf = (word: string) => NUMBERS.indexOf(word) + 1 || Number(word);

function betweenCommas({ clean, tokens }: Clause, [from, to]: Span): Span[] {
  const spans: Span[] = [];
  let start = from;
  for (let i = from + 1; i <= to; i++) {
    if (i < to && !clean.slice(tokens[i - 1]!.end, tokens[i]!.start).includes(',')) continue;
    if (isAnd(tokens[start]!) && start + 1 < i) start++;
    spans.push([start, i]);
    start = i;
  }
  return spans;
}

function isAnd({ word, quoted }: Clause['tokens'][number]): boolean {
  return !quoted && (word === 'and' || word === '&');
}

/** Says that something is to be added, but not what. */
const NOTHING_SAID = new Set(
  `something that it this them these those a some thing another new one anything stuff things more else item items do get done later
   finish please entry`.split(/\s+/),
);
interface Found {
  slots: Slots;
  phrase: Phrase;
}
export function firstMatch(
  clause: Clause,
  list: readonly Phrase[],
  fits: (slots: Slots, phrase: Phrase) => boolean = () => true,
): Found | undefined {
  for (const item of list) {
    const slots = matchAll(item, clause.tokens, clause.core);
    if (slots && fits(slots, item)) return { slots, phrase: item };
  }
  return undefined;
}

export function newTaskReading(
  clause: Clause,
  slots: Slots,
  { strength, rule }: Pick<Reading, 'strength' | 'rule'>,
): Reading {
  const what = slots['what'];
  const said =
    what && !clause.tokens.slice(...what).every(({ word, quoted }) => NOTHING_SAID.has(word) && !quoted);
  const exact = said && !slots['when'] && isWhole(clause, what, rule);
  const description = exact
    ? titleText(clause, what)
    : said
      ? taskText(clause, what, slots['when'])
      : undefined;
  return { intent: 'CREATE_TASK', strength, rule, ...(description && { descriptions: [description] }) };
}

/** After a colon, or between "add" and the list: all of it is the text. */
function isWhole({ tokens, core }: Clause, [from]: Span, rule: string): boolean {
  return tokens[from - 1]?.word === ':' || (rule === PUTS_ON_LIST && from === core[0] + 1);
}

export const PUTS_ON_LIST = 'puts something on the list';

export const LONGEST_CERTAIN = 24;
/** Short enough to be one thing, and nothing that another program looks after is first in it. */
export function isPlainText({ tokens, core }: Clause, [from]: Span): boolean {
  return core[1] - core[0] <= LONGEST_CERTAIN && (tokens[from]!.quoted || !FOREIGN.has(tokens[from]!.word));
}

export function hasForeign({ tokens }: Clause, span: Span): boolean {
  return tokens.slice(...span).some(({ word, quoted }) => !quoted && FOREIGN.has(word));
}
