import type { KnownTask } from '../context.ts';
import { wordsOf, type Words } from './task-words.ts';

const titles = new Map<string, Words>();
const MOST_CHARACTERS = 500_000;
let characters = 0;

/** The words of a task. A list is much the same from one message to the next, so they are kept. Emptied when full: right whatever it holds. */
export function titleOf({ description }: KnownTask): Words {
  const known = titles.get(description);
  if (known) return known;
  const words = wordsOf(description);
  characters += description.length;
  if (characters > MOST_CHARACTERS) {
    titles.clear();
    characters = description.length;
  }
  titles.set(description, words);
  return words;
}

export function isWithin(part: ReadonlySet<string>, whole: ReadonlySet<string>): boolean {
  for (const word of part) if (!whole.has(word)) return false;
  return true;
}
