import { isRandom } from '../../config/index.ts';
import { counted, visibleLine } from '../../lib/visible-text.ts';
import { withoutTokens } from './write-files.ts';

const CONTEXT = 2;

/** A unified diff of two texts. The changes of a connection are few, so the lines between the first and the last differing one suffice. */
export function unifiedDiff(
  file: string,
  { before, after, secrets = [] }: { before: string | undefined; after: string; secrets?: readonly string[] },
): string {
  const changed = hunksOf(linesOf(before), linesOf(after));
  // Only the lines that are shown: a file can have very many values, and very long ones.
  const text = changed.filter((line) => line.length <= MAX_LINE + 1).join('\n');
  const forms = formsOf(secrets).filter((form) => text.includes(form));
  const hunks = changed.map((line) =>
    line.startsWith('@@') ? line : line.slice(0, 1) + shown(line.slice(1), forms),
  );
  if (hunks.length === 0) return '';
  return [
    `--- ${before === undefined ? '/dev/null' : visibleLine(file)}`,
    `+++ ${visibleLine(file)}`,
    ...hunks,
    '',
  ].join('\n');
}

const linesOf = (text: string | undefined): string[] =>
  text === undefined || text === ''
    ? []
    : text
        .replace(/^\uFEFF/, '')
        .replace(/\r?\n$/, '')
        .split(/\r?\n/);

interface Change {
  /** Positions in the old and the new lines, and the numbers of lines there. */
  old: number;
  next: number;
  removed: number;
  added: number;
}

function hunksOf(old: readonly string[], next: readonly string[]): string[] {
  return changesOf(old, next).flatMap((change) => {
    const from = Math.max(0, change.old - CONTEXT);
    const head = old.slice(from, change.old);
    const tail = old.slice(change.old + change.removed, change.old + change.removed + CONTEXT);
    const sizes = [head.length + change.removed + tail.length, head.length + change.added + tail.length];
    const start = [sizes[0] === 0 ? 0 : from + 1, sizes[1] === 0 ? 0 : change.next - head.length + 1];
    return [
      `@@ -${start[0]},${sizes[0]} +${start[1]},${sizes[1]} @@`,
      ...head.map((line) => ` ${line}`),
      ...old.slice(change.old, change.old + change.removed).map((line) => `-${line}`),
      ...next.slice(change.next, change.next + change.added).map((line) => `+${line}`),
      ...tail.map((line) => ` ${line}`),
    ];
  });
}

/** Walks both texts, and after each difference looks for the nearest line from which they agree again. */
function changesOf(old: readonly string[], next: readonly string[]): Change[] {
  const changes: Change[] = [];
  let [a, b] = [0, 0];
  while (a < old.length || b < next.length) {
    if (a < old.length && b < next.length && old[a] === next[b]) {
      a++;
      b++;
      continue;
    }
    const { removed, added } = resync(old, next, [a, b]);
    changes.push({ old: a, next: b, removed, added });
    a += removed;
    b += added;
  }
  return changes;
}

const LOOK_AHEAD = 400;
const AGREE = 2;

function resync(
  old: readonly string[],
  next: readonly string[],
  [a, b]: [number, number],
): { removed: number; added: number } {
  const agrees = (i: number, j: number) => {
    for (let k = 0; k < AGREE; k++) {
      if (i + k === old.length && j + k === next.length) return true;
      if (old[i + k] !== next[j + k]) return false;
    }
    return true;
  };
  for (let distance = 1; distance <= LOOK_AHEAD; distance++)
    for (let removed = 0; removed <= distance; removed++) {
      const added = distance - removed;
      if (a + removed <= old.length && b + added <= next.length && agrees(a + removed, b + added))
        return { removed, added };
    }
  return { removed: old.length - a, added: next.length - b };
}

const MAX_LINE = 2_000;

/** Whether a text has a line that is too long to be shown. */
export const hasLongLine = (text: string): boolean => linesOf(text).some((line) => line.length > MAX_LINE);

/** Lines of a client's file may have secrets of others. */
function shown(line: string, forms: readonly string[]): string {
  if (line.length > MAX_LINE) return `… a line of ${counted(line.length, 'character')} …`;
  return withoutTokens(masked(line, forms))
    .split('\t')
    .map(visibleLine)
    .join('\t')
    .replace(/[\w.+=~-]{16,}/g, (word) => (isRandom(word) && !/^[a-z_.-]+$/i.test(word) ? '***' : word));
}

/** How the values can be written in a document. */
function formsOf(secrets: readonly string[]): string[] {
  return secrets
    .flatMap((value) => [value, JSON.stringify(value).slice(1, -1), ...value.split(/\r?\n/)])
    .filter((form) => form.trim() !== '');
}

/** Replaces the values wherever a document can have them: between quotes, or as the rest of a line. */
function masked(line: string, forms: readonly string[]): string {
  // Those of this line alone: an expression of all values of a file can be larger than the engine allows.
  const all = [...new Set(forms.filter((form) => line.includes(form)))]
    .sort((a, b) => b.length - a.length)
    .map((form) => form.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'));
  if (all.length === 0) return line;
  const any = `(?:${all.join('|')})`;
  const quoted = new RegExp(`(["'])${any}\\1(?!\\s*[:=])`, 'g');
  const rest = new RegExp(`(^\\s*|[:=]\\s*)${any}(\\s*(?:#.*)?)$`);
  return line.replaceAll(quoted, '$1***$1').replace(rest, '$1***$2');
}
