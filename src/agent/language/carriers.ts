import type { Token } from './normalise.ts';
import { matchStart, type Phrase, type Span } from './phrase.ts';
import { DUTIES, FILLERS, NEGATIONS, REQUESTS, TRAILERS, WISHES } from './carrier-phrases.ts';

/**
 * How a clause is put before it comes to its point.
 *   request     asks the assistant to do something      wish    says what the person wants to do with the assistant
 *   duty        says what the person has to do           negated says what shall not be done
 */
export type Mood = 'request' | 'wish' | 'duty' | 'negated';

export interface Core {
  /** Where the clause begins once greetings and the like are left out. */
  start: number;
  span: Span;
  moods: ReadonlySet<Mood>;
  /** The person said "please", "can you …" or the like. */
  asked: boolean;
}

/** Cuts off how the clause is put, and says how that was. */
export function findCore(tokens: readonly Token[], span: Span): Core {
  const moods = new Set<Mood>();
  const start = skip(FILLERS, tokens, span);
  let from = start;
  let asked = tokens.slice(span[0], span[1]).some(({ word }) => word === 'please' || word === 'kindly');
  const steps: Array<[Mood, Phrase[]]> = [
    ['negated', NEGATIONS],
    ['request', REQUESTS],
    ['duty', DUTIES],
    ['wish', WISHES],
  ];
  for (let changed = true; changed;) {
    changed = false;
    for (const [mood, list] of steps) {
      const next = longest(list, tokens, [from, span[1]]);
      if (next === undefined || next >= span[1]) continue;
      moods.add(mood);
      asked ||= mood === 'request';
      from = skip(FILLERS, tokens, [next, span[1]]);
      changed = true;
      break;
    }
  }
  return { start, span: [from, trimEnd(tokens, [from, span[1]])], moods, asked };
}

function skip(list: Phrase[], tokens: readonly Token[], [start, to]: Span): number {
  let from = start;
  for (
    let next = longest(list, tokens, [from, to]);
    next !== undefined && next < to;
    next = longest(list, tokens, [from, to])
  )
    from = next;
  return from;
}

function longest(list: Phrase[], tokens: readonly Token[], span: Span): number | undefined {
  let best: number | undefined;
  for (const item of list) {
    const end = matchStart(item, tokens, span);
    if (end !== undefined && end > (best ?? span[0])) best = end;
  }
  return best;
}

export function trimEnd(tokens: readonly Token[], [from, to]: Span): number {
  let end = to;
  for (let changed = true; changed;) {
    changed = false;
    for (let start = Math.max(from + 1, end - 6); start < end; start++) {
      if (tokens[start]!.quoted || longest(TRAILERS, tokens, [start, end]) !== end) continue;
      end = start;
      changed = true;
      break;
    }
  }
  return end;
}
