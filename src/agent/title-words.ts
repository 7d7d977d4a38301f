import type { KnownTask } from './context.ts';
import { wordsOf, type Words } from './task-words.ts';

const titles = new WeakMap<KnownTask, Words>();

/** The words of a task, taken apart once however often it is looked at. */
export function titleOf(task: KnownTask): Words {
  const known = titles.get(task);
  if (known) return known;
  const words = wordsOf(task.description);
  titles.set(task, words);
  return words;
}

export function isWithin(part: ReadonlySet<string>, whole: ReadonlySet<string>): boolean {
  for (const word of part) if (!whole.has(word)) return false;
  return true;
}
