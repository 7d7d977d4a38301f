import type { OperationType } from '../contract/operation.ts';
import { askedOperation } from './asked-operation.ts';
import { queryTerms, type QueryTerm } from './query-terms.ts';
import type { SearchSettings } from './search-settings.ts';
import { quantised, type TextVector } from './text-vector.ts';
import type { WordVectors } from './word-vectors.ts';

/** What a catalogue knows about terms: how many of its tools hold one. */
interface TermCounts {
  size: number;
  holders(term: string): number;
}

/** A query made ready for one catalogue. */
export interface PreparedQuery {
  /** With what each is worth here. */
  terms: QueryTerm[];
  /** What a tool's words would be worth if it had every term in its name and in the first sentence of its description. */
  ideal: number;
  vector: TextVector | undefined;
  asked: OperationType | undefined;
}

export function prepareQuery(
  query: string,
  counts: TermCounts,
  table: WordVectors,
  settings: SearchSettings,
): PreparedQuery {
  const known = (term: string) => counts.holders(term) > 0;
  const terms = queryTerms(query, known, settings).map(({ term, weight }) => ({
    term,
    weight: weight * rarity(counts.holders(term), counts.size) * emphasis(term, table, settings),
  }));
  const sum = terms.reduce((total, { weight }) => total + weight, 0);
  const perfect = settings.weights.name + settings.weights.summary;
  return {
    terms,
    ideal: (sum * perfect) / (settings.k1 + perfect),
    vector: directionOf(terms, table),
    asked: askedOperation(query),
  };
}

/** Rare terms say more. Never negative, so that more matches never lower a score. */
function rarity(holders: number, total: number): number {
  return Math.log(1 + (total - holders + 0.5) / (holders + 0.5));
}

/** Words without a subject of their own ("provide", "specific", "current") have short vectors, in every catalogue. */
function emphasis(term: string, table: WordVectors, settings: SearchSettings): number {
  const row = table.row(term);
  if (row === undefined) return 1;
  return Math.min(1, table.length(row) / settings.fullLength) ** settings.emphasis;
}

function directionOf(terms: QueryTerm[], table: WordVectors): TextVector | undefined {
  const sum = new Float64Array(table.dimensions);
  for (const { term, weight } of terms) {
    const row = table.row(term);
    if (row !== undefined) table.add(row, weight, sum);
  }
  return quantised(sum);
}
