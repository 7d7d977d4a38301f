import type { Fact, Facts, Head } from '../record/facts.ts';

export interface FoundIn {
  id: string;
  /** Milliseconds: when the record was opened, and when it was closed, as far as that is known. */
  opened: number;
  closed?: number;
}

/** Where time went on by so much, many entries were written; the one that is looked for is among the next. */
const LOOKED_AT = 2000;
const PAGE = 500;

/**
 * The entries of the chains that tell of a record. There is no index from a record to its entries, as every call would pay for it; but
 * entries are in the order of their time, so the place is found by halving.
 */
export async function findFacts(facts: Facts, record: FoundIn): Promise<Fact[]> {
  const found = new Map<string, Fact>();
  for (const head of await facts.heads())
    for (const time of new Set([record.opened, record.closed ?? record.opened]))
      for (const fact of await near(facts, head, { time, id: record.id }))
        found.set(`${fact.log} ${fact.n}`, fact);
  return [...found.values()].sort((a, b) => a.time - b.time || a.n - b.n);
}

async function near(facts: Facts, head: Head, { time, id }: { time: number; id: string }): Promise<Fact[]> {
  let n = (await firstAt(facts, head, time)) - 1;
  const found: Fact[] = [];
  for (let looked = 0; looked < LOOKED_AT; looked += PAGE) {
    const page = await facts.after({ log: head.log, n }, PAGE);
    found.push(...page.filter((fact) => fact.id === id));
    if (page.length < PAGE || found.length > 0) break;
    n = page.at(-1)!.n;
  }
  return found;
}

/** The first entry that is not older than the time. */
async function firstAt(facts: Facts, { log, first, n }: Head, time: number): Promise<number> {
  let [low, high] = [first, n + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [fact] = await facts.after({ log, n: middle - 1 }, 1);
    if (fact && fact.time < time) low = Math.max(fact.n, middle) + 1;
    else high = middle;
  }
  return low;
}
