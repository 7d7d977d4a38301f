import type { Token } from './token.ts';
import { matchStart, type Phrase, type Span } from './phrase.ts';
import { DUTIES, FILLERS, NEGATIONS, REQUESTS, TRAILERS, WISHES } from './carrier-phrases.ts';

/**
 * The mood of a clause, by its carrier phrase.
 *   request     asks the assistant to do something      wish    says what the person wants to do with the assistant
 *   duty        says what the person has to do           negated says what shall not be done
 */
export type Mood = 'request' | 'wish' | 'duty' | 'negated';

export interface Core {
  /** Where the clause starts after greetings. */
  start: number;
  span: Span;
  moods: ReadonlySet<Mood>;
  /** The person said "please", "can you …" or the like. */
  asked: boolean;
}

const STEPS: ReadonlyArray<readonly [Mood, readonly Phrase[]]> = [
  ['negated', NEGATIONS],
  ['request', REQUESTS],
  ['duty', DUTIES],
  ['wish', WISHES],
];
/** Limits that keep the cost linear. */
const MOST_CARRIERS = 6;
const MOST_FILLERS = 12;
const NOES = new Set(['no', 'nope', 'nah']);
const MOST_TRAILERS = 6;
const LONGEST_TRAILER = 6;

/** Separates the carrier phrases from the core of a clause. */
export function findCore(tokens: readonly Token[], span: Span): Core {
  const moods = new Set<Mood>();
  const start = skipFillers(tokens, span);
  let from = start;
  for (let i = 0; i < MOST_CARRIERS; i++) {
    const next = nextCarrier(tokens, [from, span[1]]);
    if (!next) break;
    moods.add(next.mood);
    from = skipFillers(tokens, [next.end, span[1]]);
  }
  const polite = tokens.slice(...span).some(({ word }) => word === 'please' || word === 'kindly');
  return {
    start,
    span: [from, trimEnd(tokens, [from, span[1]])],
    moods,
    asked: polite || moods.has('request'),
  };
}

/** Said to somebody after a comma or a courtesy only: "the boiler man" is a title. */
const ALSO_NOUNS = new Set('man love friend mate buddy assistant google'.split(' '));
const COURTESIES = new Set('thanks please cheers ta you ok'.split(' '));

/** The core of a command: a last word that names somebody may belong to its title. */
export function findOrder(tokens: readonly Token[], span: Span): Core {
  const core = findCore(tokens, span);
  const [from, end] = core.span;
  const [before, last] = [tokens[end - 1], end < span[1] ? tokens[end] : undefined];
  const isNoun =
    last !== undefined &&
    ALSO_NOUNS.has(last.word) &&
    !last.quoted &&
    !last.afterComma &&
    end > from &&
    !COURTESIES.has(before!.word) &&
    tokens.slice(end + 1, span[1]).every(({ word }) => COURTESIES.has(word));
  return isNoun ? { ...core, span: [from, end + 1] } : core;
}

function nextCarrier(tokens: readonly Token[], span: Span): { mood: Mood; end: number } | undefined {
  for (const [mood, list] of STEPS) {
    const end = longest(list, tokens, span);
    if (end !== undefined && end < span[1]) return { mood, end };
  }
  return undefined;
}

function skipFillers(tokens: readonly Token[], [start, to]: Span): number {
  let from = start;
  for (let i = 0; i < MOST_FILLERS; i++) {
    const next = longest(FILLERS, tokens, [from, to]);
    if (next === undefined || next >= to || isDenial(tokens, from, next)) break;
    from = next;
  }
  return from;
}

/** "no, show me …" corrects; "no longer" denies. */
function isDenial(tokens: readonly Token[], at: number, next: number): boolean {
  return NOES.has(tokens[at]!.word) && !tokens[next]!.afterComma;
}

function longest(list: readonly Phrase[], tokens: readonly Token[], span: Span): number | undefined {
  let best: number | undefined;
  for (const item of list) {
    const end = matchStart(item, tokens, span);
    if (end !== undefined && end > (best ?? span[0])) best = end;
  }
  return best;
}

function trimEnd(tokens: readonly Token[], [from, to]: Span): number {
  let end = to;
  for (let i = 0; i < MOST_TRAILERS; i++) {
    const start = trailerBefore(tokens, from, end);
    if (start === undefined) break;
    end = start;
  }
  return end;
}

function trailerBefore(tokens: readonly Token[], from: number, end: number): number | undefined {
  for (let start = Math.max(from + 1, end - LONGEST_TRAILER); start < end; start++)
    if (!tokens[start]!.quoted && longest(TRAILERS, tokens, [start, end]) === end) return start;
  return undefined;
}
