import type { OperationType } from '../contract/operation.ts';
import type { IndexedTool } from './document-weights.ts';
import { fieldWeights } from './document-weights.ts';
import type { PreparedQuery } from './prepare-query.ts';
import type { SearchSettings } from './search-settings.ts';
import type { Field } from './tool-text.ts';

/** Terms up to which a query is short. */
const SHORT_QUERY = 16;

/** One reason for a score. They add up to it, before it is cut at 1. */
export interface Contribution {
  term: string;
  /** Where the term stands in the tool; or "meaning", the likeness of query and tool as a whole; or "verb", an unasked act. */
  field: Field | 'meaning' | 'verb';
  score: number;
}

/** What a tool brings to a query: the worth of its words, the cosine of its vector, the act in its name. */
export interface Match {
  words: number;
  cosine: number;
  named: OperationType | undefined;
}

/** 0..1 of what a tool would get that says the same in the same words. Words alone decide where the query has no known word. */
export function scoreOf(query: PreparedQuery, match: Match, settings: SearchSettings): number {
  const fit = Math.min(
    1,
    wordsPart(query, match.words, settings) + meaningPart(query, match.cosine, settings),
  );
  return misses(query, match.named) ? fit * (1 - settings.verb) : fit;
}

/** The more a query says, the smaller the part of it that one tool can answer to. */
export function floorOf({ terms }: PreparedQuery, { floor }: SearchSettings): number {
  return floor * Math.min(1, SHORT_QUERY / Math.max(1, terms.length));
}

function wordsPart({ ideal, vector }: PreparedQuery, words: number, { meaning }: SearchSettings): number {
  if (ideal === 0) return 0;
  return words / ideal / (vector ? 1 + meaning : 1);
}

function meaningPart({ vector }: PreparedQuery, cosine: number, { meaning }: SearchSettings): number {
  return vector ? (meaning * Math.max(0, cosine)) / (1 + meaning) : 0;
}

/** A query that asks to read is ill served by a tool whose name says that it deletes. A name without a verb speaks neither way. */
function misses({ asked }: PreparedQuery, named: OperationType | undefined): boolean {
  return asked !== undefined && named !== undefined && asked !== named;
}

/** The reasons for a tool's score, largest first. */
export function reasonsFor(
  query: PreparedQuery,
  tool: IndexedTool,
  match: Omit<Match, 'words'>,
  settings: SearchSettings,
): Contribution[] {
  const reasons: Contribution[] = [];
  const fields = fieldWeights(tool, settings, new Set(query.terms.map(({ term }) => term)));
  for (const { term, weight } of query.terms) {
    const shares = [...(fields.get(term) ?? [])];
    const sum = shares.reduce((total, [, share]) => total + share, 0);
    for (const [field, share] of shares) {
      const words = (weight * share) / (settings.k1 + sum);
      reasons.push({ term, field, score: wordsPart(query, words, settings) });
    }
  }
  const meaning = meaningPart(query, match.cosine, settings);
  if (meaning > 0) reasons.push({ term: 'likeness', field: 'meaning', score: meaning });
  reasons.sort((a, b) => b.score - a.score);
  if (reasons.length > 0 && misses(query, match.named)) {
    const fit = Math.min(
      1,
      reasons.reduce((total, { score }) => total + score, 0),
    );
    reasons.push({ term: match.named!, field: 'verb', score: -fit * settings.verb });
  }
  return reasons;
}
