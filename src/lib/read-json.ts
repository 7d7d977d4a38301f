import { repeatedKey } from './exact-json.ts';
import { atOnce, type Steps } from './in-turn.ts';
import { MAX_JSON_DEPTH } from './json-limits.ts';
import { countWrittenKeys } from './json-scan.ts';

export type JsonFault =
  | { fault: 'too deep' }
  | { fault: 'invalid'; error: SyntaxError }
  | { fault: 'repeated key'; key: string };

/**
 * JSON of somebody else. An object that has a key twice is not read: of two programs one would see the first value and one the last, and
 * what was checked here might not be what is done there.
 */
export function readJson(text: string, maxDepth: number = MAX_JSON_DEPTH): { value: unknown } | JsonFault {
  return atOnce(readJsonSteps(text, maxDepth));
}

/** The same for texts of any length, to be read in turn with others. */
export function* readJsonSteps(
  text: string,
  maxDepth: number = MAX_JSON_DEPTH,
): Steps<{ value: unknown } | JsonFault> {
  const written = countWrittenKeys(text, maxDepth);
  if (written === -1) return { fault: 'too deep' };
  yield;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { fault: 'invalid', error: error as SyntaxError };
  }
  yield;
  // The parser keeps the last of equal keys, so that there are fewer than were written.
  return countKeys(value) === written ? { value } : { fault: 'repeated key', key: repeatedKey(text) ?? '' };
}

/** The depth is limited by now. */
function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let keys = 0;
  if (Array.isArray(value)) for (const item of value) keys += countKeys(item);
  else
    for (const key in value) {
      keys++;
      const item = (value as Record<string, unknown>)[key];
      if (typeof item === 'object') keys += countKeys(item);
    }
  return keys;
}
