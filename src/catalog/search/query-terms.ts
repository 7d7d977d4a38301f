import { synonymGroup } from './synonyms.ts';
import { wordPairs, words } from './tokenize.ts';

/** A search term and its weight. */
export interface QueryTerm {
  term: string;
  weight: number;
  /** For a term that is not in the query: the similar word of the query. */
  like?: string;
}

export interface QuerySettings {
  /** Quoted text is usually an argument of the call ("create a task 'Buy milk'"), rarely the name of the tool. */
  quoted: number;
  /** So are ids, dates and addresses. */
  literal: number;
  /** A synonym counts less than the word itself. */
  synonym: number;
}

const MAX_QUERY_LENGTH = 4000;
const MAX_TERMS = 64;
const QUOTED =
  /(?<![\p{L}\p{N}])(?:"[^"]{1,300}"|'[^']{1,300}'|“[^”]{1,300}”|‘[^’]{1,300}’|`[^`]{1,300}`)(?![\p{L}\p{N}])/gu;
const LITERAL = /\d{4}|\d[-/:.]\d|@|:\/\/|^\W*\d+\W*$|^\S{32,}$/;

/** The terms of a query, each once with its greatest weight. `known`: whether the index has a term. */
export function queryTerms(
  query: string,
  known: (term: string) => boolean,
  settings: QuerySettings,
): QueryTerm[] {
  const weights = new Map<string, number>();
  const note = (text: string, weight: number) => {
    for (const term of termsOf(text, known)) {
      if (weights.size >= MAX_TERMS && !weights.has(term)) return;
      weights.set(term, Math.max(weight, weights.get(term) ?? 0));
    }
  };
  const { plain, literals, quotes } = partsOf(query);
  note(plain, 1);
  note(literals, settings.literal);
  note(quotes, settings.quoted);
  for (const [term, weight] of weights) {
    const group = synonymGroup(term);
    if (group !== undefined) weights.set(group, Math.max(weight * settings.synonym, weights.get(group) ?? 0));
  }
  return [...weights].map(([term, weight]) => ({ term, weight }));
}

/** The pairs of adjacent words, each once; without quotes and literals. */
export function queryPairs(query: string): string[] {
  return [...new Set(wordPairs(words(partsOf(query).plain)))].slice(0, MAX_TERMS);
}

/** Separates the request from probable arguments. */
function partsOf(query: string): { plain: string; literals: string; quotes: string } {
  const quotes: string[] = [];
  const rest = query.slice(0, MAX_QUERY_LENGTH).replace(QUOTED, (quote) => (quotes.push(quote), ' '));
  const [literals, plain] = partition(rest.split(/\s+/), (chunk) => LITERAL.test(chunk));
  return { plain: plain.join(' '), literals: literals.join(' '), quotes: quotes.join(' ') };
}

/** A compound counts once: by itself if the index has it ("GitHub" → github), else by its parts. */
function termsOf(text: string, known: (term: string) => boolean): string[] {
  const terms: string[] = [];
  for (const { parts, whole } of words(text)) {
    if (whole !== undefined && known(whole)) terms.push(whole);
    else terms.push(...parts);
  }
  return terms;
}

function partition<T>(items: T[], test: (item: T) => boolean): [T[], T[]] {
  const yes: T[] = [];
  const no: T[] = [];
  for (const item of items) (test(item) ? yes : no).push(item);
  return [yes, no];
}
