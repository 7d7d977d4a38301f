import { documentWeights, fieldWords, type FieldWords, type IndexedTool } from './document-weights.ts';
import type { SearchSettings } from './search-settings.ts';

/** The tools that contain a term, and the share of the term's weight for each: f / (k1 + f). Parallel arrays, unordered. */
interface Posting {
  term: string;
  slots: number[];
  shares: number[];
}

/** The inverted index: from a term to the tools that contain it. */
export function createPostings(settings: SearchSettings) {
  const postings = new Map<string, Posting>();
  return {
    /** How many tools contain a term. */
    holders: (term: string) => postings.get(term)?.slots.length ?? 0,
    /** How many of these tools contain a term: those whose slot is marked. */
    holdersAmong(term: string, members: Uint8Array): number {
      let count = 0;
      for (const slot of postings.get(term)?.slots ?? []) count += members[slot] ?? 0;
      return count;
    },
    add(slot: number, text: FieldWords): void {
      for (const [term, weight] of documentWeights(text, settings)) {
        let posting = postings.get(term);
        if (!posting) postings.set(term, (posting = { term, slots: [], shares: [] }));
        posting.slots.push(slot);
        posting.shares.push(weight / (settings.k1 + weight));
      }
    },
    /** Scans each affected posting list once. */
    remove(tools: ReadonlyMap<number, IndexedTool>, slots: number): void {
      const gone = new Uint8Array(slots);
      for (const slot of tools.keys()) gone[slot] = 1;
      const touched = new Set<Posting>();
      // The terms are computed again, because storing them would double the index.
      for (const tool of tools.values())
        for (const term of documentWeights(fieldWords(tool), settings).keys())
          touched.add(postings.get(term)!);
      for (const posting of touched) {
        prune(posting, gone);
        if (posting.slots.length === 0) postings.delete(posting.term);
      }
    },
    /** Tells how much a term is worth for each of these tools: those whose slot is marked. */
    eachShare(term: string, marked: Uint8Array, note: (slot: number, share: number) => void): void {
      const { slots = [], shares = [] } = postings.get(term) ?? {};
      for (let i = 0; i < slots.length; i++) if (marked[slots[i]!] === 1) note(slots[i]!, shares[i]!);
    },
    /** Adds the weight of a term to the score of each tool that contains it. */
    accumulate(term: string, worth: number, scores: Float64Array): void {
      const posting = postings.get(term);
      if (!posting) return;
      const { slots, shares } = posting;
      for (let i = 0; i < slots.length; i++) scores[slots[i]!] = scores[slots[i]!]! + worth * shares[i]!;
    },
  };
}

function prune(posting: Posting, gone: Uint8Array): void {
  const { slots, shares } = posting;
  let kept = 0;
  for (let i = 0; i < slots.length; i++) {
    const slot = slots[i]!;
    if (gone[slot] === 1) continue;
    slots[kept] = slot;
    shares[kept++] = shares[i]!;
  }
  slots.length = kept;
  shares.length = kept;
}
