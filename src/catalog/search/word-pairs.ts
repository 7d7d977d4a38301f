import type { Word } from './tokenize.ts';

/** Words that stand side by side, stop words left out: "pull request". No term has a space, so a pair is never taken for a word. */
export function wordPairs(text: Iterable<Word>): string[] {
  const pairs: string[] = [];
  let last: string | undefined;
  for (const { parts } of text)
    for (const part of parts) {
      if (last !== undefined) pairs.push(`${last} ${part}`);
      last = part;
    }
  return pairs;
}
