import type { Hit } from './best-hits.ts';

/** A hit and what it matches: how much of its score each term of the query gives. */
export interface Candidate extends Hit {
  slot: number;
  matches: ReadonlyMap<string, number>;
}

/**
 * The best few, where a term that a hit above matches counts less for those below. A query with several needs ("a PDF report with a word
 * cloud") so finds tools for each; where one tool matches all, the order stays. Scores fall from hit to hit.
 */
export function diversified(candidates: readonly Candidate[], limit: number, share: number): Hit[] {
  const left = [...candidates];
  const covered = new Map<string, number>();
  const hits: Hit[] = [];
  while (hits.length < limit && left.length > 0) {
    const { at, repeated } = nextBest(left, covered, share);
    const [{ name, score, matches }] = left.splice(at, 1) as [Candidate];
    hits.push({ name, score: score - repeated, ...(repeated > 0 && { repeated }) });
    for (const [term, part] of matches) covered.set(term, Math.max(part, covered.get(term) ?? 0));
  }
  return hits;
}

/** The first of equals, which is the better one by the order of the candidates. */
function nextBest(left: readonly Candidate[], covered: ReadonlyMap<string, number>, share: number) {
  let best = { at: 0, repeated: 0, score: -Infinity };
  for (const [at, candidate] of left.entries()) {
    // It can only lose, and those behind it have less.
    if (candidate.score <= best.score) break;
    const repeated = share * repeatedPart(candidate, covered);
    const score = candidate.score - repeated;
    if (score > best.score) best = { at, repeated, score };
  }
  return best;
}

function repeatedPart({ matches }: Candidate, covered: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const [term, part] of matches) sum += Math.min(part, covered.get(term) ?? 0);
  return sum;
}
