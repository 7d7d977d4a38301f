import { documentWeights, fieldWeights, type IndexedTool } from './document-weights.ts';
import { queryTerms, type QueryTerm } from './query-terms.ts';
import { SETTINGS, type SearchSettings } from './search-settings.ts';
import { createBest, type Hit } from './best-hits.ts';
import type { Field } from './tool-text.ts';

interface Contribution {
  term: string;
  field: Field;
  score: number;
}

interface SearchOptions {
  limit: number;
  /** Tools that do not pass are not found at all: the cut comes after. */
  accept?: ((name: string) => boolean) | undefined;
}

/** Which tools hold a term, and how much of the term's worth each gets: f / (k1 + f). Parallel arrays, in no particular order. */
interface Posting {
  term: string;
  slots: number[];
  shares: number[];
}

export interface SearchIndex {
  readonly size: number;
  add(tool: IndexedTool): void;
  /** Many at once: each posting list that they touch is gone through one time. */
  remove(names: Iterable<string>): void;
  search(query: string, options: SearchOptions): { hits: Hit[]; total: number };
  /** What each term adds to a tool's score in each field, largest first. */
  explain(query: string, name: string): Contribution[];
}

/**
 * A BM25F inverted index over tools that changes tool by tool. Field lengths are measured against fixed pivots instead of the
 * present averages: a tool's weight for a term then never depends on its neighbours, and adding one touches only its own postings.
 */
export function createSearchIndex(settings: SearchSettings = SETTINGS): SearchIndex {
  const postings = new Map<string, Posting>();
  const slots: Array<IndexedTool | undefined> = [];
  const free: number[] = [];
  const slotOf = new Map<string, number>();
  let scores = new Float64Array(1024);
  const known = (term: string) => postings.has(term);
  const frequencyFactor = (term: string) =>
    inverseFrequency(postings.get(term)?.slots.length ?? 0, slotOf.size);

  function add(tool: IndexedTool): void {
    if (slotOf.has(tool.name)) remove([tool.name]);
    const slot = free.pop() ?? slots.length;
    slots[slot] = tool;
    slotOf.set(tool.name, slot);
    if (scores.length < slots.length) scores = new Float64Array(2 * slots.length);
    for (const [term, weight] of documentWeights(tool, settings)) {
      let posting = postings.get(term);
      if (!posting) postings.set(term, (posting = { term, slots: [], shares: [] }));
      posting.slots.push(slot);
      posting.shares.push(weight / (settings.k1 + weight));
    }
  }

  function remove(names: Iterable<string>): void {
    const gone: number[] = [];
    const touched = new Set<Posting>();
    for (const name of names) {
      const slot = slotOf.get(name);
      if (slot === undefined) continue;
      gone.push(slot);
      slotOf.delete(name);
      // The terms are worked out again rather than kept: they are needed once, and keeping them doubles the index.
      for (const term of documentWeights(slots[slot]!, settings).keys()) touched.add(postings.get(term)!);
    }
    if (gone.length === 0) return;
    const marked = new Uint8Array(slots.length);
    for (const slot of gone) marked[slot] = 1;
    for (const posting of touched) {
      prune(posting, marked);
      if (posting.slots.length === 0) postings.delete(posting.term);
    }
    for (const slot of gone) {
      slots[slot] = undefined;
      free.push(slot);
    }
  }

  function search(query: string, { limit, accept }: SearchOptions): { hits: Hit[]; total: number } {
    const terms = queryTerms(query, known, settings);
    const ideal = idealScore(terms);
    const matched: number[] = [];
    for (const { term, weight } of terms) {
      const posting = postings.get(term);
      if (posting) accumulate(posting, weight * frequencyFactor(term), matched);
    }
    const best = createBest(limit);
    for (const slot of matched) {
      const score = Math.min(1, scores[slot]! / ideal);
      scores[slot] = 0;
      if (accept) {
        const { name } = slots[slot]!;
        if (accept(name)) best.offer(name, score);
      } else if (score < best.floor) best.pass();
      else best.offer(slots[slot]!.name, score);
    }
    return { hits: best.hits, total: best.offered };
  }

  function accumulate({ slots, shares }: Posting, worth: number, matched: number[]): void {
    for (let i = 0; i < slots.length; i++) {
      const slot = slots[i]!;
      const score = scores[slot]!;
      if (score === 0) matched.push(slot);
      scores[slot] = score + worth * shares[i]!;
    }
  }

  /** What a tool would get that has every term of the query in its name and in the first sentence of its description. */
  function idealScore(terms: QueryTerm[]): number {
    const perfect = settings.weights.name + settings.weights.summary;
    const sum = terms.reduce((total, { term, weight }) => total + weight * frequencyFactor(term), 0);
    return (sum * perfect) / (settings.k1 + perfect);
  }

  function explain(query: string, name: string): Contribution[] {
    const slot = slotOf.get(name);
    if (slot === undefined) return [];
    const terms = queryTerms(query, known, settings);
    const ideal = idealScore(terms);
    const fields = fieldWeights(slots[slot]!, settings, new Set(terms.map(({ term }) => term)));
    return terms
      .flatMap(({ term, weight }) => {
        const shares = [...(fields.get(term) ?? [])];
        const sum = shares.reduce((total, [, share]) => total + share, 0);
        const score = (weight * frequencyFactor(term)) / ((settings.k1 + sum) * ideal);
        return shares.map(([field, share]) => ({ term, field, score: score * share }));
      })
      .sort((a, b) => b.score - a.score);
  }

  return {
    get size() {
      return slotOf.size;
    },
    add,
    remove,
    search,
    explain,
  };
}

/** Rare terms say more. Never negative, so that more matches never lower a score. */
function inverseFrequency(holders: number, total: number): number {
  return Math.log(1 + (total - holders + 0.5) / (holders + 0.5));
}

function prune(posting: Posting, marked: Uint8Array): void {
  const { slots, shares } = posting;
  let kept = 0;
  for (let i = 0; i < slots.length; i++) {
    const slot = slots[i]!;
    if (marked[slot] === 1) continue;
    slots[kept] = slot;
    shares[kept++] = shares[i]!;
  }
  slots.length = kept;
  shares.length = kept;
}
