import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';

/**
 * A pattern in which `*` stands for any number of characters. There is nothing to backtrack: the leftmost place of each piece between
 * two stars is as good as any later one.
 */
export function glob(pattern: string): (text: string) => boolean {
  const [first, ...rest] = pattern.split('*') as [string, ...string[]];
  const last = rest.pop();
  if (last === undefined) return (text) => text === first;
  return (text) => {
    const end = text.length - last.length;
    if (end < first.length || !text.startsWith(first) || !text.endsWith(last)) return false;
    let at = first.length;
    for (const piece of rest) {
      const found = text.indexOf(piece, at);
      if (found < 0 || found + piece.length > end) return false;
      at = found + piece.length;
    }
    return true;
  };
}

export interface LinearPattern {
  test(text: string): boolean;
  /** How many steps a character may take. */
  readonly size: number;
  toString(): string;
}

/** Thrown where even a linear walk would take too long. */
export class PatternTooCostly extends Error {}

const MAX_STEPS = 5_000_000;
const MAX_TEXT = 100_000;
const MAX_LENGTH = 1000;

const require = createRequire(import.meta.url);
/** Loaded at the first pattern: most tools have none. */
const engine = () => (require('re2js') as { RE2JS: typeof RE2JS }).RE2JS;

/**
 * A regular expression from somebody we do not trust. The built-in engine may need years for a pattern of ten characters; RE2 needs time
 * in proportion to the text. It can neither look around nor refer back; such a pattern, or one that is none at all, gives undefined.
 */
export function linearPattern(source: string): LinearPattern | undefined {
  const pattern = source.length <= MAX_LENGTH && isPattern(source) ? compile(source) : undefined;
  if (!pattern) return undefined;
  const size = pattern.programSize();
  const test = (text: string) => {
    if (text.length > MAX_TEXT || text.length * size > MAX_STEPS)
      throw new PatternTooCostly('a text is too long for the pattern that it must match');
    return pattern.test(text);
  };
  return { test, size, toString: () => `/${source}/` };
}

/** The engine would take a reference to a named group for plain letters. */
const NAMED_REFERENCE = /(?:^|[^\\])(?:\\\\)*\\k</;

function isPattern(source: string): boolean {
  if (NAMED_REFERENCE.test(source)) return false;
  try {
    return new RegExp(source, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

function compile(source: string): RE2JS | undefined {
  try {
    const RE2 = engine();
    return RE2.compile(RE2.translateRegExp(source));
  } catch {
    return undefined;
  }
}
