import {
  exactJson,
  merge,
  parsePrefix,
  isObject,
  type JsonObject,
  ExactNumber,
  repeatedKey,
} from './exact.ts';
import { DOOR_LIMITS, type JsonLimits } from './limits.ts';
import { LONG_TEXT, parseLong, scanLong, type Scanned, type Steps } from './long-text.ts';
import {
  countWrittenKeys,
  hasUnusualNumber,
  itemSpans,
  memberSpan,
  memberStart,
  skipBlanks,
  type LocatedText,
  type StringEnds,
} from './scan.ts';

const Itself = function itself(object: object) {
  return object;
} as unknown as new (object: object) => object;

/**
 * The text that a value was parsed from, kept with it, so that what is passed on is what came and not what a parser made of it: long
 * numbers, the order of keys, the way a string was escaped. It belongs to this very object: a changed copy has none and is serialized again,
 * so that no text is ever sent for a value other than the one that was checked. Nothing that has a source is changed in place.
 *
 * A private field on somebody else's object: nobody else can see, copy or forge it, and unlike an entry in a WeakMap it costs next to
 * nothing.
 */
class Sourced extends Itself {
  #text: string | undefined;

  static keep(object: object, text: string): void {
    if (#text in object) object.#text = text;
    else new Sourced(object).#text = text;
  }

  static of(object: object): string | undefined {
    return #text in object ? object.#text : undefined;
  }
}

/** Half a surrogate pair that stands in the text itself cannot be sent; written as an escape it can, and means the same. */
export function keepSource(value: object, text: string): void {
  Sourced.keep(value, isWellFormed(text) ? text : text.replace(/\p{Surrogate}/gu, escaped));
}

/** The compiler's library does not know it yet; every Node.js that we support does. */
function isWellFormed(text: string): boolean {
  return (text as string & { isWellFormed(): boolean }).isWellFormed();
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16)}`;
}

export function sourceOf(value: unknown): string | undefined {
  return typeof value === 'object' && value !== null ? Sourced.of(value) : undefined;
}

/**
 * Keeps the source of what stands under a path, if it is an object; `text` is that of the whole value. Of equal keys the last one counts,
 * as for a parser; on the way there no key may stand twice.
 */
export function keepSourceAt(value: unknown, source: LocatedText, path: readonly string[]): void {
  let object = value;
  for (const key of path) {
    if (!isObject(object) || !Object.hasOwn(object, key)) return;
    object = object[key];
  }
  if (!isObject(object)) return;
  let start = skipBlanks(source.text, 0);
  for (const key of path.slice(0, -1)) start = memberStart(source, start, key);
  const span = memberSpan(source, start, path.at(-1)!);
  if (span) Sourced.keep(object, source.text.slice(span.start, span.end));
}

/** The items of a list, each with its own text. */
export function withTexts(list: unknown[], text: string): Array<[item: unknown, text: string]> {
  const spans = itemSpans(text, skipBlanks(text, 0));
  return list.map((item, index) => [item, text.slice(spans[index]!.start, spans[index]!.end)]);
}

/** JSON text of a value: as it came, where that is known. `levels`: how far below the value sources are looked for. */
export function jsonText(value: unknown, levels = 0): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const source = Sourced.of(value);
  if (source !== undefined) return source;
  if (levels === 0) return exactJson(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map((item) => jsonText(item, levels - 1)).join(',')}]`;
  let text = '';
  for (const key in value) {
    const item = (value as JsonObject)[key];
    if (item !== undefined)
      text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${jsonText(item, levels - 1)}`;
  }
  return `{${text}}`;
}

/** A copy with these fields. Where the object has a source so has the copy: what is not replaced stays as it was written. */
export function withFields<T extends JsonObject>(object: T, fields: JsonObject): T {
  const copy = merge(object, fields);
  let text = Sourced.of(object);
  if (text === undefined) return copy;
  let added = '';
  for (const [key, value] of Object.entries(fields)) {
    if (Object.hasOwn(object, key)) text = replaced(text, key, jsonText(value));
    else added += `${added === '' ? '' : ','}${JSON.stringify(key)}:${jsonText(value)}`;
  }
  Sourced.keep(copy, added === '' ? text : inserted(text, added));
  return copy;
}

function replaced(text: string, key: string, value: string): string {
  const { start, end } = memberSpan({ text }, skipBlanks(text, 0), key)!;
  return `${text.slice(0, start)}${value}${text.slice(end)}`;
}

/** In front: where an object ends is further to look. */
function inserted(text: string, members: string): string {
  const inside = skipBlanks(text, 0) + 1;
  const comma = text.charAt(skipBlanks(text, inside)) === '}' ? '' : ',';
  return `${text.slice(0, inside)}${members}${comma}${text.slice(inside)}`;
}

/** Keeps the source of a field that is an object, where the object around it has one. */
export function keepSourceOfField(object: JsonObject, key: string): void {
  const text = Sourced.of(object);
  if (text !== undefined) keepSourceAt(object, { text }, [key]);
}

/** The value with every number as it was written; the value itself where nothing is known of that. */
export function exactValue(value: unknown): unknown {
  const text = sourceOf(value);
  return text !== undefined && hasUnusualNumber(text) ? parsePrefix(text, Infinity).value : value;
}

/** The same within a budget, for values of any size; `whole` is false where it did not suffice. Strings are never cut. */
export function exactPrefix(value: unknown, budget: number): { value: unknown; whole: boolean } {
  const text = sourceOf(value);
  if (text === undefined) return { value, whole: true };
  if (text.length <= budget) return { value: exactValue(value), whole: true };
  const prefix = parsePrefix(text, budget);
  return { ...prefix, value: withWholeStrings(prefix.value, value, budget) };
}

/** Of a long string `parsePrefix` may give only the beginning; the value has all of it. */
function withWholeStrings(part: unknown, value: unknown, budget: number): unknown {
  if (typeof part === 'string')
    return part.length >= budget && typeof value === 'string' && value.startsWith(part) ? value : part;
  if (typeof part !== 'object' || part === null || part instanceof ExactNumber) return part;
  for (const [key, item] of Object.entries(part)) {
    const whole = withWholeStrings(item, (value as JsonObject | null)?.[key], budget);
    if (whole !== item) Object.defineProperty(part, key, { value: whole });
  }
  return part;
}

/**
 * JSON with sorted keys and no spaces: equal values give equal text, different values never do, not even where they differ beyond what
 * a number can hold. The caller has limited the depth.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value))
    return `[${value.map((item) => (item === undefined ? 'null' : canonicalJson(item))).join(',')}]`;
  if (value instanceof ExactNumber) return value.text;
  const fields = Object.entries(exactValue(value) as object)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, field]) => `${JSON.stringify(key)}:${canonicalJson(field)}`);
  return `{${fields.join(',')}}`;
}

export type JsonFault =
  | { fault: 'too deep' | 'too wide' }
  | { fault: 'invalid'; error: SyntaxError }
  | { fault: 'repeated key'; key: string };

/** Does all steps at once, for a text that is short. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

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
