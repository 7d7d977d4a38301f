import { repeatedKey } from './exact.ts';
import { LONG_TEXT, atOnce, type Steps, parseLong, scanLong, type Scanned } from './long-text.ts';
import { DOOR_LIMITS, type JsonLimits } from './limits.ts';
import { countWrittenKeys, type StringEnds } from './scan.ts';

export type JsonFault =
  | { fault: 'too deep' | 'too wide' }
  | { fault: 'invalid'; error: SyntaxError }
  | { fault: 'repeated key'; key: string };

/**
 * JSON of somebody else. An object that has a key twice is not read: of two programs one would see the first value and one the last, and
 * what was checked here might not be what is done there.
 */
export function readJson(
  text: string,
  limits: JsonLimits = DOOR_LIMITS,
): { value: unknown; ends?: StringEnds } | JsonFault {
  return atOnce(readJsonSteps(text, limits));
}

/** The same for texts of any length, to be read in turn with others. `ends`: where its long strings are. */
export function* readJsonSteps(
  text: string,
  limits: JsonLimits = DOOR_LIMITS,
): Steps<{ value: unknown; ends?: StringEnds } | JsonFault> {
  const { fault, keys, ends } = yield* scanned(text, limits);
  if (fault) return { fault };
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

/** A short text has room for neither too many keys nor too many values. */
function* scanned(text: string, limits: JsonLimits): Steps<Omit<Scanned, 'ends'> & { ends?: StringEnds }> {
  if (text.length > LONG_TEXT) return yield* scanLong(text, limits);
  const keys = countWrittenKeys(text, limits.depth);
  return keys === -1 ? { fault: 'too deep', keys } : { keys };
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
