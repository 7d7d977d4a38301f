import type { OperationType } from '../../contract/operation.ts';
import { askedOperation } from '../verdict/asked-operation.ts';
import { queryPairs, queryTerms, type QueryTerm } from './query-terms.ts';
import type { SearchSettings } from './search-settings.ts';
import { quantised, type TextVector } from './text-vector.ts';
import type { WordVectors } from './word-vectors.ts';

/** The index that a query is prepared for. */
interface QueryIndex {
  /** How many tools it has, and how many of them contain a term. */
  size: number;
  holders(term: string): number;
  vectors: WordVectors;
}

/** A query, prepared for one index. */
export interface PreparedQuery {
  /** The words of the query, similar words and pairs, each with its weight in this index. */
  terms: QueryTerm[];
  /** How many of them are in the query itself. */
  said: number;
  /** The word score of a tool with every term in its name and in the first sentence of its description. */
  ideal: number;
  vector: TextVector | undefined;
  asked: OperationType | undefined;
}

/** A term of the query: its weight in any index, and how rare it is in this one. */
interface Said {
  term: string;
  base: number;
  rarity: number;
}

export function prepareQuery(query: string, index: QueryIndex, settings: SearchSettings): PreparedQuery {
  const { vectors: table } = index;
  const known = (term: string) => index.holders(term) > 0;
  const rarityOf = (term: string) => rarity(index.holders(term), index.size);
  const said = queryTerms(query, known, settings).map(({ term, weight }): Said => ({
    term,
    base: weight * emphasis(term, table, settings),
    rarity: rarityOf(term),
  }));
  const words = said.map(({ term, base, rarity }): QueryTerm => ({ term, weight: base * rarity }));
  const pairs = queryPairs(query)
    .filter(known)
    .map((term): QueryTerm => ({ term, weight: settings.pair * rarityOf(term) }));
  const near = said.flatMap((each) => nearTerms(each, table, settings)).filter(({ term }) => known(term));
  const sum = words.reduce((total, { weight }) => total + weight, 0);
  const perfect = settings.weights.name + settings.weights.summary;
  return {
    terms: merged([...words, ...pairs, ...near.map((each) => capped(each, rarityOf(each.term)))]),
    said: words.length,
    ideal: (sum * perfect) / (settings.k1 + perfect),
    vector: directionOf(words, table),
    asked: askedOperation(query),
  };
}

/** Rare terms weigh more. Never negative, so that another match never lowers a score. */
function rarity(holders: number, total: number): number {
  return Math.log(1 + (total - holders + 0.5) / (holders + 0.5));
}

/** Words without a topic ("provide", "specific", "current") have short vectors and weigh less. */
function emphasis(term: string, table: WordVectors, settings: SearchSettings): number {
  const row = table.row(term);
  if (row === undefined) return 1;
  return Math.min(1, table.length(row) / settings.fullLength) ** settings.emphasis;
}

interface NearTerm extends QueryTerm {
  rarity: number;
}

/** "Appointment" for "meeting": the more similar, the more it counts. */
function nearTerms({ term, base, rarity }: Said, table: WordVectors, settings: SearchSettings): NearTerm[] {
  const row = table.row(term);
  if (row === undefined) return [];
  return table
    .near(row)
    .filter(({ alike }) => alike > settings.nearest)
    .map(({ term: other, alike }) => ({
      term: other,
      weight: (settings.near * base * (alike - settings.nearest)) / (1 - settings.nearest),
      like: term,
      rarity,
    }));
}

/** A rare word must not raise the weight of a common one, nor the other way round. */
function capped({ rarity: own, weight, ...rest }: NearTerm, rarity: number): QueryTerm {
  return { ...rest, weight: weight * Math.min(own, rarity) };
}

/** Each term once; the weights from several words of the query add up. */
function merged(terms: QueryTerm[]): QueryTerm[] {
  const found = new Map<string, QueryTerm>();
  for (const each of terms) {
    const known = found.get(each.term);
    if (known) known.weight += each.weight;
    else found.set(each.term, { ...each });
  }
  return [...found.values()];
}

function directionOf(terms: QueryTerm[], table: WordVectors): TextVector | undefined {
  const sum = new Float64Array(table.dimensions);
  for (const { term, weight } of terms) {
    const row = table.row(term);
    if (row !== undefined) table.add(row, weight, sum);
  }
  return quantised(sum);
}
