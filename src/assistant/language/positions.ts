import type { TaskReference } from '../../contract/chat.ts';
import type { Token } from './token.ts';
import { textOf, type Span } from './phrase.ts';

const ORDINALS = new Map(
  (
    'first|erste|ersten|erstes|premier|première|primero|primera|primo|prima|primeiro|primeira|eerste ' +
    'second|zweite|zweiten|zweites|deuxième|seconde|segundo|segunda|secondo|seconda|tweede ' +
    'third|dritte|dritten|drittes|troisième|tercero|tercera|terzo|terza|terceiro|terceira|derde ' +
    'fourth|vierte|vierten|viertes|quatrième|cuarto|cuarta|quarto|quarta|vierde fifth sixth seventh eighth ninth tenth eleventh twelfth'
  )
    .split(' ')
    .flatMap((words, i) => words.split('|').map((word) => [word, i + 1] as const)),
);
const CARDINALS = new Map(
  'one two three four five six seven eight nine ten eleven twelve'.split(' ').map((word, i) => [word, i + 1]),
);
const COUNTERS = new Set(
  'task tasks todo todos reminder reminders item items number numbers no nr num # chore chores entry entries'.split(
    ' ',
  ),
);
const PLURALS = new Set(['tasks', 'todos', 'reminders', 'items', 'numbers', 'chores', 'entries']);
const AFTER_ORDINAL = new Set('one task todo reminder item entry chore thing ones tasks'.split(' '));
const LEADS = new Set('the my a this that our die der das den le la el il lo de het o'.split(' '));
const JOINTS = new Set('and or & plus und et y e en'.split(' '));
const LAST = new Set(
  'last bottom final letzte letzten letztes dernier dernière último última ultimo ultima laatste'.split(' '),
);
const MOST = 99;

/** A place in a list, as whole words only: "first aid kit" is no position. Several are possible: "2, 3 and 5". */
export function readPositions(
  clean: string,
  tokens: readonly Token[],
  [start, to]: Span,
): TaskReference[] | undefined {
  const skip = (at: number, isSkipped: (word: string) => boolean) => {
    let next = at;
    while (next < to && isSkipped(tokens[next]!.word)) next++;
    return next;
  };
  const from = skip(start, (word) => LEADS.has(word));
  const leading = firstFew(clean, tokens, [from, to]);
  if (leading) return leading;
  const isCounted = tokens.slice(from, to).some(({ word }) => COUNTERS.has(word));
  const found: TaskReference[] = [];
  for (let i = from; i < to;) {
    const next = readOne({ clean, tokens }, [i, to], isCounted || found.length > 0);
    if (!next || isLastFew(next, tokens[next.end], to)) return undefined;
    found.push(...next.references);
    i = skip(next.end, (word) => JOINTS.has(word) || LEADS.has(word));
  }
  return found.length > 0 ? found : undefined;
}

/** "The last two": no place of these is known here. */
function isLastFew({ references, end }: Found, after: Token | undefined, to: number): boolean {
  return references[0]!.kind === 'last' && end < to && Boolean(cardinalOf(after!.word, true));
}

const LONGEST_FEW = 20;

/** "The first three" are three. */
function firstFew(clean: string, tokens: readonly Token[], [from, to]: Span): TaskReference[] | undefined {
  const end = to > from + 2 && AFTER_ORDINAL.has(tokens[to - 1]!.word) ? to - 1 : to;
  const [lead, count] = tokens.slice(from, end);
  if (end !== from + 2 || ordinalOf(lead!.word) !== 1) return undefined;
  const few = cardinalOf(count!.word, true);
  if (few === undefined || few < 2 || few > LONGEST_FEW) return undefined;
  const text = textOf(clean, tokens, [from, to]);
  return Array.from({ length: few }, (_, i) => ({ kind: 'position', text, position: i + 1 }));
}

interface Found {
  references: TaskReference[];
  end: number;
}

interface Source {
  clean: string;
  tokens: readonly Token[];
}

function readOne(source: Source, [from, to]: Span, isCounted: boolean): Found | undefined {
  const { tokens } = source;
  let at = from;
  while (at < to && COUNTERS.has(tokens[at]!.word)) at++;
  if (at >= to || tokens[at]!.quoted) return undefined;
  return readRange(source, at) ?? readPlace(source, { from, at, to }, isCounted);
}

function readRange({ clean, tokens }: Source, at: number): Found | undefined {
  const range = rangeOf(tokens[at]!.word);
  if (!range) return undefined;
  const text = textOf(clean, tokens, [at, at + 1]);
  return { references: range.map((position) => ({ kind: 'position', text, position })), end: at + 1 };
}

/** `at`: the word that counts, after "task number" and the like. */
function readPlace(
  { clean, tokens }: Source,
  { from, at, to }: { from: number; at: number; to: number },
  isCounted: boolean,
): Found | undefined {
  const { word } = tokens[at]!;
  const ordinal = ordinalOf(word);
  // "The second last" is counted from the end.
  if (ordinal !== undefined && at + 1 < to && ordinalOf(tokens[at + 1]!.word) === 'last') return undefined;
  const end = ordinal === undefined ? at + 1 : afterOrdinal(tokens, at + 1, to);
  const text = textOf(clean, tokens, [PLURALS.has(tokens[from]!.word) ? at : from, end]);
  if (ordinal === 'last') return { references: [{ kind: 'last', text }], end };
  const position = ordinal ?? cardinalOf(word, isCounted);
  if (position === undefined || position < 1 || position > MOST) return undefined;
  return { references: [{ kind: 'position', text, position }], end };
}

/** "3-5" are three. */
function rangeOf(word: string): number[] | undefined {
  const [, first, last] = /^(\d{1,2})-(\d{1,2})$/.exec(word) ?? [];
  const [from, to] = [Number(first), Number(last)];
  if (!(from >= 1 && to > from && to - from < LONGEST_FEW)) return undefined;
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

function ordinalOf(word: string): number | 'last' | undefined {
  if (LAST.has(word)) return 'last';
  if (word === 'top') return 1;
  const digits = /^(\d{1,2})(?:st|nd|rd|th)$/.exec(word);
  return digits ? Number(digits[1]) : ORDINALS.get(word);
}

function cardinalOf(word: string, counted: boolean): number | undefined {
  if (/^\d{1,2}$/.test(word)) return Number(word);
  return counted ? CARDINALS.get(word) : undefined;
}

function afterOrdinal(tokens: readonly Token[], at: number, to: number): number {
  let end = at;
  while (end < to && AFTER_ORDINAL.has(tokens[end]!.word)) end++;
  return end;
}
