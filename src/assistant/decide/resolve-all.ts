import type { KnownTask } from '../context.ts';
import { wordsOf } from '../reply/task-words.ts';
import { isWithin, titleOf } from '../reply/title-words.ts';

const ANY = new Set('all everyth every each both rest remain open whole entir complet finish'.split(' '));

/** Every task that a description in words fits; all of them where it has no words of its own ("all my tasks"). */
export function resolveAll(text: string, tasks: readonly KnownTask[]): KnownTask[] {
  const whole = describedBy(text, tasks);
  const parts = partsOf(text);
  if (whole.length > 0 || parts.length < 2) return whole;
  const each = parts.map((part) => describedBy(part, tasks));
  const named = new Set(each.flat());
  return each.every((some) => some.length > 0) ? tasks.filter((task) => named.has(task)) : [];
}

function describedBy(text: string, tasks: readonly KnownTask[]): KnownTask[] {
  const wanted = new Set([...wordsOf(text).content].filter((word) => !ANY.has(word)));
  return tasks.filter((task) => isWithin(wanted, titleOf(task).stems));
}

/** "milk, bread and eggs" as three. */
export function partsOf(text: string): string[] {
  return text
    .split(/,|&|\band\b/i)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
