import type { OperationType } from '../../contract/operation.ts';
import { fieldWeights, fieldWords, type IndexedTool } from './document-weights.ts';
import type { PreparedQuery } from './prepare-query.ts';
import type { SearchSettings } from './search-settings.ts';
import type { Field } from './tool-text.ts';

/** Up to this many terms a query is short: one tool may match all of it, and its meaning is clear. */
export const SHORT_QUERY = 8;

/** One reason for a score. They add up to it. */
export interface Contribution {
  /** A word, a pair of words, or "event, like meeting" for a similar word that is not in the query. */
  term: string;
  /**
   * The field with the term; or "meaning", the similarity of query and tool as a whole; or "verb", an act that was not asked for; or
   * "repeated", what hits above match too.
   */
  field: Field | 'meaning' | 'verb' | 'repeated';
  score: number;
}

/** How a tool matches a query: the score of its words, the cosine of its vector, the operation in its name. */
export interface Match {
  words: number;
  cosine: number;
  named: OperationType | undefined;
}

/** What scores a tool: the score of its words, the cosine of its vector, the operation in its name. */
export type Scorer = (words: number, cosine: number, named: OperationType | undefined) => number;

/**
 * 0..1; 1 is a tool that says the same in the same words. Without known words in the query only literal words count. It runs for every tool,
 * so what depends on the query alone is computed once.
 */
export function createScorer(query: PreparedQuery, settings: SearchSettings): Scorer {
  const byWords = wordsPart(query, 1, settings);
  const byMeaning = meaningPart(query, 1, settings);
  const { asked } = query;
  const other = 1 - settings.verb;
  return (words, cosine, named) => {
    const fit = Math.min(1, words * byWords + Math.max(0, cosine) * byMeaning);
    return asked !== undefined && named !== undefined && asked !== named ? fit * other : fit;
  };
}

/** The longer a query, the smaller the part of it that one tool can match. */
export function floorOf({ said }: PreparedQuery, { floor }: SearchSettings): number {
  return floor * Math.min(1, SHORT_QUERY / Math.max(1, said));
}

/** The weight of meaning beside the words. It falls with the length of the query, because the vector of a long text is vague. */
export function meaningOf({ said, vector }: PreparedQuery, { meaning }: SearchSettings): number {
  return vector ? meaning * Math.sqrt(Math.min(1, SHORT_QUERY / Math.max(1, said))) : 0;
}

export function wordsPart(query: PreparedQuery, words: number, settings: SearchSettings): number {
  if (query.ideal === 0) return 0;
  return words / query.ideal / (1 + meaningOf(query, settings));
}

function meaningPart(query: PreparedQuery, cosine: number, settings: SearchSettings): number {
  const meaning = meaningOf(query, settings);
  return (meaning * Math.max(0, cosine)) / (1 + meaning);
}

/** Whether the name says another operation than the query asks for. A name without a verb never does. */
function isOtherOperation({ asked }: PreparedQuery, named: OperationType | undefined): boolean {
  return asked !== undefined && named !== undefined && asked !== named;
}

/** The reasons for a tool's score, largest first. */
export function reasonsFor(
  query: PreparedQuery,
  match: Omit<Match, 'words'> & { tool: IndexedTool },
  settings: SearchSettings,
): Contribution[] {
  const reasons = wordReasons(query, match.tool, settings);
  const meaning = meaningPart(query, match.cosine, settings);
  if (meaning > 0) reasons.push({ term: 'likeness', field: 'meaning', score: meaning });
  const sum = reasons.reduce((total, { score }) => total + score, 0);
  // Pairs and similar words may add up to more than the ideal, which counts as 1.
  for (const reason of reasons) reason.score /= Math.max(1, sum);
  reasons.sort((a, b) => b.score - a.score);
  if (reasons.length > 0 && isOtherOperation(query, match.named))
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
