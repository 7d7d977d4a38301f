import type { OperationType } from '../../contract/operation.ts';
import { namedOperation } from '../verdict/asked-operation.ts';
import { createBest, type Hit } from './best-hits.ts';
import { diversified, type Candidate } from './diversify.ts';
import { fieldWords, type IndexedTool } from './document-weights.ts';
import { createPostings } from './postings.ts';
import { prepareQuery, type PreparedQuery } from './prepare-query.ts';
import {
  SHORT_QUERY,
  createScorer,
  floorOf,
  meaningOf,
  reasonsFor,
  wordsPart,
  type Contribution,
} from './search-score.ts';
import { SETTINGS, type SearchSettings } from './search-settings.ts';
import { toolVector } from './text-vector.ts';
import { termsOf, words } from './tokenize.ts';
import { createVectorRows, type VectorRows } from './vector-rows.ts';
import { shippedWordVectors, type WordVectors } from './word-vectors.ts';

/** A part of the tools, searched as if there were no others: their number and their words alone decide about scores. */
export interface SearchScope {
  /** 1 for each slot within. */
  readonly members: Uint8Array;
  readonly size: number;
}

interface SearchOptions {
  limit: number;
  /** Absent: all tools. Valid until the next change of the index. */
  scope?: SearchScope | undefined;
  /** Applied before the limit. */
  accept?: ((name: string) => boolean) | undefined;
}

export interface SearchIndex {
  readonly size: number;
  has(name: string): boolean;
  add(tool: IndexedTool): void;
  /** Takes many names, because each affected posting list is scanned once per call. */
  remove(names: Iterable<string>): void;
  search(query: string, options: SearchOptions): { hits: Hit[]; total: number };
  /** The reasons for a tool's score, largest first. */
  explain(query: string, name: string, scope?: SearchScope): Contribution[];
  /** The tools that the function accepts. */
  scope(accept: (name: string) => boolean): SearchScope;
}

/** So many hits are compared with those above them: as many as an answer may have, so that a cut answer is the start of a longer one. */
const CANDIDATES = 50;
/** What so many tools say, and an eighth of all, tells no need from another. */
const COMMON = 500;

/**
 * An incremental index over tools: words by BM25F, meaning by word vectors. Field lengths are compared with fixed pivots instead of the
 * present averages, so the weights of a tool do not depend on other tools and adding one touches only its own postings. The table of word
 * vectors is loaded with the first tool.
 */
export function createSearchIndex(
  settings: SearchSettings = SETTINGS,
  table: () => WordVectors = shippedWordVectors,
): SearchIndex {
  const postings = createPostings(settings);
  const tools: Array<IndexedTool | undefined> = [];
  const named: Array<OperationType | undefined> = [];
  const free: number[] = [];
  const slotOf = new Map<string, number>();
  let scores = new Float64Array(1024);
  let vectors: VectorRows | undefined;

  function add(tool: IndexedTool): void {
    if (slotOf.has(tool.name)) remove([tool.name]);
    const slot = free.pop() ?? tools.length;
    tools[slot] = tool;
    named[slot] = namedOperation(tool.definition.name);
    slotOf.set(tool.name, slot);
    if (scores.length < tools.length) scores = new Float64Array(2 * tools.length);
    const text = fieldWords(tool);
    postings.add(slot, text);
    vectors ??= createVectorRows(table().dimensions);
    vectors.set(slot, toolVector(text, table()));
  }

  function remove(names: Iterable<string>): void {
    const gone = new Map<number, IndexedTool>();
    for (const name of names) {
      const slot = slotOf.get(name);
      if (slot === undefined) continue;
      gone.set(slot, tools[slot]!);
      slotOf.delete(name);
    }
    if (gone.size === 0) return;
    postings.remove(gone, tools.length);
    for (const slot of gone.keys()) {
      tools[slot] = undefined;
      vectors!.set(slot, undefined);
      free.push(slot);
    }
  }

  function search(text: string, options: SearchOptions): { hits: Hit[]; total: number } {
    if ((options.scope ?? slotOf).size === 0) return { hits: [], total: 0 };
    const query = prepare(text, options.scope);
    for (const { term, weight } of query.terms) postings.accumulate(term, weight, scores);
    if (query.said <= SHORT_QUERY) {
      const { hits, offered } = bestHits(query, options);
      return { hits, total: offered };
    }
    const { limit } = options;
    const { hits, offered } = bestHits(query, { ...options, limit: Math.max(CANDIDATES, limit) });
    const first = candidatesOf(query, hits.slice(0, CANDIDATES), options.scope);
    const chosen = diversified(first, Math.min(limit, first.length), settings.repeat);
    return { hits: [...chosen, ...hits.slice(CANDIDATES, limit)], total: offered };
  }

  /** The hits with what they match. The name of a server says nothing about what its tools differ in. */
  function candidatesOf(
    query: PreparedQuery,
    hits: readonly Hit[],
    scope: SearchScope | undefined,
  ): Candidate[] {
    const marked = new Uint8Array(tools.length);
    const found = new Map<number, { matches: Map<string, number>; own: Set<string> }>();
    const candidates = hits.map((hit): Candidate => {
      const slot = slotOf.get(hit.name)!;
      marked[slot] = 1;
      const matches = new Map<string, number>();
      found.set(slot, { matches, own: new Set(termsOf(words(tools[slot]!.server))) });
      return { ...hit, slot, matches };
    });
    const holders = holdersIn(scope);
    const most = Math.max(COMMON, (scope ?? slotOf).size / 8);
    for (const { term, weight, like = term } of query.terms) {
      if (holders(term) > most) continue;
      postings.eachShare(term, marked, (slot, share) => {
        const { matches, own } = found.get(slot)!;
        if (!own.has(term))
          matches.set(like, (matches.get(like) ?? 0) + wordsPart(query, weight * share, settings));
      });
    }
    return candidates;
  }

  /** Reads the accumulated scores of the words and resets them for the next query. */
  function bestHits(query: PreparedQuery, { limit, accept, scope }: SearchOptions) {
    const best = createBest(limit);
    const cosines = cosinesOf(query);
    const floor = floorOf(query, settings);
    // A tool without a common word needs this similarity to reach the floor, so most are skipped early.
    const meaning = meaningOf(query, settings);
    const alike = (floor * (1 + meaning)) / meaning;
    const scoreOf = createScorer(query, settings);
    const isOutside = (slot: number) => scope !== undefined && scope.members[slot] !== 1;
    for (let slot = 0; slot < tools.length; slot++) {
      const words = scores[slot]!;
      const cosine = cosines?.[slot] ?? 0;
      scores[slot] = 0;
      if ((words === 0 && cosine < alike) || isOutside(slot)) continue;
      const score = scoreOf(words, cosine, named[slot]);
      if (score === 0 || score < floor || (accept && !accept(tools[slot]!.name))) continue;
      if (score < best.floor) best.pass();
      else best.offer(tools[slot]!.name, score);
    }
    return best;
  }

  /** How rare a word is must not tell of tools outside the scope. */
  function prepare(text: string, scope: SearchScope | undefined): PreparedQuery {
    const holders = holdersIn(scope);
    return prepareQuery(text, { size: (scope ?? slotOf).size, holders, vectors: table() }, settings);
  }

  function holdersIn(scope: SearchScope | undefined): (term: string) => number {
    return scope ? createScopedHolders(scope) : postings.holders;
  }

  /** Counted once per query and term. */
  function createScopedHolders({ members }: SearchScope): (term: string) => number {
    const counts = new Map<string, number>();
    return (term) => {
      const known = counts.get(term);
      if (known !== undefined) return known;
      const count = postings.holdersAmong(term, members);
      counts.set(term, count);
      return count;
    };
  }

  function scope(accept: (name: string) => boolean): SearchScope {
    const members = new Uint8Array(tools.length);
    let size = 0;
    for (const [name, slot] of slotOf) {
      if (!accept(name)) continue;
      members[slot] = 1;
      size++;
    }
    return { members, size };
  }

  function cosinesOf({ vector }: PreparedQuery): Float64Array | undefined {
    return vector && vectors!.cosines(vector, tools.length);
  }

  function explain(text: string, name: string, within?: SearchScope): Contribution[] {
    const slot = slotOf.get(name);
    if (slot === undefined) return [];
    const query = prepare(text, within);
    const cosine = cosinesOf(query)?.[slot] ?? 0;
    return reasonsFor(query, { tool: tools[slot]!, cosine, named: named[slot] }, settings);
  }

  return {
    get size() {
      return slotOf.size;
    },
    has: (name) => slotOf.has(name),
    add,
    remove,
    search,
    explain,
    scope,
  };
}
