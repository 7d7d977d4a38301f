import { repeatedKey } from './exact-json.ts';
import { atOnce, LONG_TEXT, type Steps } from './in-turn.ts';
import { MAX_JSON_DEPTH } from './json-limits.ts';
import { countWrittenKeys, type StringEnds } from './json-scan.ts';
import { parseLong, scanLong } from './parse-long.ts';

export type JsonFault =
  | { fault: 'too deep' }
  | { fault: 'invalid'; error: SyntaxError }
  | { fault: 'repeated key'; key: string };

/**
 * JSON of somebody else. An object that has a key twice is not read: of two programs one would see the first value and one the last, and
 * what was checked here might not be what is done there.
 */
export function readJson(
  text: string,
  maxDepth: number = MAX_JSON_DEPTH,
): { value: unknown; ends?: StringEnds } | JsonFault {
  return atOnce(readJsonSteps(text, maxDepth));
}

/** The same for texts of any length, to be read in turn with others. `ends`: where its long strings are. */
export function* readJsonSteps(
  text: string,
  maxDepth: number = MAX_JSON_DEPTH,
): Steps<{ value: unknown; ends?: StringEnds } | JsonFault> {
  const { keys, ends } = yield* scanned(text, maxDepth);
  if (keys === -1) return { fault: 'too deep' };
  yield;
  let value: unknown;
  try {
    value = ends ? yield* parseLong(text, ends) : JSON.parse(text);
  } catch (error) {
    return { fault: 'invalid', error: error as SyntaxError };
  }
  yield;
  // The parser keeps the last of equal keys, so that there are fewer than were written.
  if (countKeys(value) !== keys) return { fault: 'repeated key', key: repeatedKey(text) ?? '' };
  return ends ? { value, ends } : { value };
}

function* scanned(text: string, maxDepth: number): Steps<{ keys: number; ends?: StringEnds }> {
  return text.length > LONG_TEXT
    ? yield* scanLong(text, maxDepth)
    : { keys: countWrittenKeys(text, maxDepth) };
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
