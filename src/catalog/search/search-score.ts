import type { OperationType } from '../../contract/operation.ts';
import { fieldWeights, fieldWords, type IndexedTool } from './document-weights.ts';
import type { PreparedQuery } from './prepare-query.ts';
import type { SearchSettings } from './search-settings.ts';
import type { Field } from './tool-text.ts';

/** Terms up to which a query is short: one tool may answer to all of it, and its direction is clear. */
const SHORT_QUERY = 8;

/** One reason for a score. They add up to it. */
export interface Contribution {
  /** A word, a pair of words, or "event, like meeting" for one that the query does not have. */
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
export function floorOf({ said }: PreparedQuery, { floor }: SearchSettings): number {
  return floor * Math.min(1, SHORT_QUERY / Math.max(1, said));
}

/** What likeness counts beside the words: in a long query every word adds to the blur. */
export function meaningOf({ said, vector }: PreparedQuery, { meaning }: SearchSettings): number {
  return vector ? meaning * Math.sqrt(Math.min(1, SHORT_QUERY / Math.max(1, said))) : 0;
}

function wordsPart(query: PreparedQuery, words: number, settings: SearchSettings): number {
  if (query.ideal === 0) return 0;
  return words / query.ideal / (1 + meaningOf(query, settings));
}

function meaningPart(query: PreparedQuery, cosine: number, settings: SearchSettings): number {
  const meaning = meaningOf(query, settings);
  return (meaning * Math.max(0, cosine)) / (1 + meaning);
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
  const reasons = wordReasons(query, tool, settings);
  const meaning = meaningPart(query, match.cosine, settings);
  if (meaning > 0) reasons.push({ term: 'likeness', field: 'meaning', score: meaning });
  const sum = reasons.reduce((total, { score }) => total + score, 0);
  // Pairs and near words may bring more than the ideal, which counts as 1.
  for (const reason of reasons) reason.score /= Math.max(1, sum);
  reasons.sort((a, b) => b.score - a.score);
  if (reasons.length > 0 && misses(query, match.named))
    reasons.push({ term: match.named!, field: 'verb', score: -Math.min(1, sum) * settings.verb });
  return reasons;
}

function wordReasons(query: PreparedQuery, tool: IndexedTool, settings: SearchSettings): Contribution[] {
  const reasons: Contribution[] = [];
  const fields = fieldWeights(fieldWords(tool), settings, new Set(query.terms.map(({ term }) => term)));
  for (const { term, weight, like } of query.terms) {
    const shares = [...(fields.get(term) ?? [])];
    const sum = shares.reduce((total, [, share]) => total + share, 0);
    for (const [field, share] of shares) {
      const words = (weight * share) / (settings.k1 + sum);
      reasons.push({
        term: like === undefined ? term : `${term}, like ${like}`,
        field,
        score: wordsPart(query, words, settings),
      });
    }
  }
  return reasons;
}
