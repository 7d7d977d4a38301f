import { wordsOf, titleWords } from '../reply/task-words.ts';
import type { KnownTask } from '../context.ts';

const ARTICLES = /^(?:(?:the|a|an|my|our|your|this|that) )+/;
/** Words that mark a title: "the task called …". */
const CALLED =
  /^(?:(?:the|my|our|this|that|a) )?(?:task|todo|to-do|reminder|item|entry|one)s?(?: (?:called|named|titled|about|to))?[: ]+/;
const TASK_AFTER = / (?:task|todo|to-do|reminder|item|entry|one)$/;

/** A title for comparison: without case, extra spaces, quotation marks and final punctuation. */
export function normaliseTitle(text: string): string {
  const plain = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[’‘ʼ´′`]/g, "'")
    .replace(/[“”„«»″]/g, '"')
    .replace(/\s+/g, ' ')
    .trim();
  const bare = plain.replace(/(?<![\s.!?,;:…])[\s.!?,;:…]+$/u, '');
  return /^(["'])(.+)\1$/.exec(bare)?.[2]?.trim() ?? (bare || plain);
}

/** Pronouns and numbers are never titles. */
const POINTERS = new Set(
  `it that this them those these one ones all everything both last first second third the task my tasks a list my list the list all tasks`.split(
    ' ',
  ),
);

/** The tasks with exactly this title; only those with the same spelling, if there are any. */
export function tasksWithTitle(text: string, tasks: readonly KnownTask[]): KnownTask[] {
  const said = normaliseTitle(text);
  if (said === '') return [];
  for (const form of [said, ...wrapped(said)]) {
    const found = titled(form, tasks);
    if (found.length > 0) return found;
  }
  return [];
}

function wrapped(said: string): string[] {
  const called = said.replace(CALLED, '');
  const without = said.replace(TASK_AFTER, '');
  return [called, without].filter((form) => form !== said && form !== '').map(normaliseTitle);
}

function titled(said: string, tasks: readonly KnownTask[]): KnownTask[] {
  if (said.split(' ').every((word) => POINTERS.has(word)) || /^#?\d{1,2}$/.test(said)) return [];
  const key = wordsOf(said).key;
  const bare = key.replace(ARTICLES, '');
  const same = tasks.filter((task) => titleWords(task).key.replace(ARTICLES, '') === bare);
  return closest(
    [
      (task) => normaliseTitle(task.description) === said,
      (task) => key !== '' && titleWords(task).key === key,
      () => key !== '',
    ],
    same,
  );
}

/** The tasks that pass the first test that any task passes. */
function closest(tests: ReadonlyArray<(task: KnownTask) => boolean>, tasks: readonly KnownTask[]) {
  for (const test of tests) {
    const found = tasks.filter(test);
    if (found.length > 0) return found;
  }
  return [];
}
