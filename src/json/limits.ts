import { countWrittenKeys } from './scan.ts';

/** How deep JSON may nest at any door. Parsing deeper input is cheap, but serialising it again overflows the stack. */
export const MAX_JSON_DEPTH = 64;

/** How much there may be in one text. Reading a key that is new costs as much as a thousand characters of a string, and all of it is done in one go. */
export interface JsonLimits {
  depth: number;
  keys: number;
  /** Of lists and of objects. */
  items: number;
}

/** At any door. */
export const DOOR_LIMITS: JsonLimits = { depth: MAX_JSON_DEPTH, keys: 100_000, items: 1_000_000 };

/** What is wrong with JSON that has too much in it. */
export const tooWideText = ({ keys, items }: JsonLimits): string =>
  `has more than ${keys} keys, or more than ${items} values`;

/** Looks at JSON text before it is parsed: linear, no recursion. */
export function textExceedsDepth(text: string, max: number = MAX_JSON_DEPTH): boolean {
  return countWrittenKeys(text, max) === -1;
}

/** The same for a value that is already parsed. */
export function valueExceedsDepth(value: unknown, max: number = MAX_JSON_DEPTH): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    const children: unknown[] = [];
    for (const item of level) {
      if (typeof item !== 'object' || item === null) continue;
      if (depth >= max) return true;
      for (const child of Array.isArray(item) ? item : Object.values(item)) {
        if (typeof child === 'object' && child !== null) children.push(child);
      }
    }
    level = children;
  }
  return false;
}
