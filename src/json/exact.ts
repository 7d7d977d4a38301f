import { wholeUntil } from './long-text.ts';
import { hasUnusualNumber, stringEnd, valueEnd } from './scan.ts';

export type JsonObject = Record<string, unknown>;

/** What JSON calls an object: neither null nor a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * `{ ...first, ...second }`, for objects that are made with each call. V8 gives every object whose literal begins with a spread and has more
 * members a hidden class of its own (Node.js 20): making one takes ten to thirty times as long, and so does each later use of its members.
 * A literal that begins with an ordinary member is not affected. Keys may come from others: one named `__proto__` is copied like any other.
 */
export function merge<A extends object, B extends object>(first: A, second: B | undefined): A & B {
  return { __proto__: Object.prototype, ...first, ...second } as unknown as A & B;
}

let met = false;

/** A number as it was written, where a number of JavaScript would be another one or would be written differently. */
export class ExactNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** For who does not know of this class: the digits are right, though they become a string. */
  toJSON(): string {
    met = true;
    return this.text;
  }

  toString(): string {
    return this.text;
  }
}

/** Like JSON.parse, but no number loses anything. */
export function parseExact(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return hasUnusualNumber(text) ? parsePrefix(text, Infinity).value : value;
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** A number of JavaScript, or where that would be another one, the digits as they are written. */
export function exactNumber(text: string): number | ExactNumber {
  const value = Number(text);
  return JSON.stringify(value) === text || !NUMBER.test(text) ? value : new ExactNumber(text);
}

/** The first key that an object has twice, in text that JSON.parse accepts. */
export function repeatedKey(text: string): string | undefined {
  const builder = new Builder();
  build(builder, text, Infinity);
  return builder.repeated;
}

/** For text that JSON.parse accepts: as much of the value as `budget` characters hold; the content of long strings costs next to nothing and counts little. */
export function parsePrefix(text: string, budget: number): { value: unknown; whole: boolean } {
  const builder = new Builder();
  const whole = build(builder, text, budget);
  return { value: builder.root, whole };
}

function build(builder: Builder, text: string, budget: number): boolean {
  let left = budget;
  for (let at = 0; at < text.length; at++) {
    if (left < 0) return false;
    const code = text.charCodeAt(at);
    if (isBetween(code)) continue;
    if (code === 0x7b) builder.enter({});
    else if (code === 0x5b) builder.enter([]);
    else if (code === 0x7d || code === 0x5d) builder.leave();
    else {
      const most = at + ESCAPED * budget;
      const end = code === 0x22 ? stringEnd(text, at, most) + 1 : valueEnd(text, at);
      if (end === 0) {
        builder.add(beginningOf(text.slice(at + 1, most + 1), budget));
        return false;
      }
      builder.add(code === 0x22 ? stringOf(text.slice(at, end), budget) : wordOf(text.slice(at, end)));
      left -= Math.min(end - at, STRING_COST);
      at = end - 1;
    }
    left--;
  }
  return true;
}

/** A blank, comma or colon. */
function isBetween(code: number): boolean {
  return code <= 0x20 || code === 0x2c || code === 0x3a;
}

const STRING_COST = 4096;

class Builder {
  root: unknown;
  repeated: string | undefined;
  readonly #outer: Array<object | undefined> = [];
  #into: object | undefined;
  #key: string | undefined;

  enter(container: object): void {
    this.#put(container);
    this.#outer.push(this.#into);
    this.#into = container;
  }

  leave(): void {
    this.#into = this.#outer.pop();
  }

  /** A key or a value: in an object they take turns. */
  add(value: unknown): void {
    if (this.#into === undefined || Array.isArray(this.#into) || this.#key !== undefined) this.#put(value);
    else this.#key = this.#noted(value as string);
  }

  #noted(key: string): string {
    if (this.repeated === undefined && Object.hasOwn(this.#into!, key)) this.repeated = key;
    return key;
  }

  #put(value: unknown): void {
    if (this.#into === undefined) this.root = value;
    else if (Array.isArray(this.#into)) this.#into.push(value);
    else if (this.#key !== '__proto__') (this.#into as Record<string, unknown>)[this.#key!] = value;
    else
      Object.defineProperty(this.#into, '__proto__', {
        value,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    this.#key = undefined;
  }
}

/** To undo escapes has its price: of a string that is far longer than what is wanted of the whole, the beginning has to do. */
const ESCAPED = 4;
const PIECE = 16 * 1024;
/** But how long files are is told. */
const MAY_BE_FILE = /^"(?:data:|(?:[A-Za-z0-9+_-]|\\?\/){256})/;

function stringOf(written: string, budget: number): string {
  const inside = written.slice(1, -1);
  if (!inside.includes('\\')) return inside;
  const isCut = written.length > budget && !MAY_BE_FILE.test(written.slice(0, 600));
  return isCut ? beginningOf(inside, budget) : (JSON.parse(written) as string);
}

/** At least so many characters of what stands between two quotes, where there are as many. */
function beginningOf(written: string, wanted: number): string {
  let text = '';
  for (let from = 0; from < written.length && text.length < wanted;) {
    const to = wholeUntil(written, from, Math.min(from + PIECE, written.length));
    // Cut in the middle of an escape: there is no more.
    if (to === from) break;
    text += JSON.parse(`"${written.slice(from, to)}"`) as string;
    from = to;
  }
  return text;
}

function wordOf(word: string): unknown {
  switch (word) {
    case 'true':
      return true;
    case 'false':
      return false;
    case 'null':
      return null;
    default:
      return exactNumber(word);
  }
}

/** Like JSON.stringify, with exact numbers as numbers. */
export function exactJson(value: unknown, indent?: number): string | undefined {
  met = false;
  const text = JSON.stringify(value, null, indent) as string | undefined;
  // Hardly any value holds one; only then is it written by hand.
  return met ? written(value, ' '.repeat(indent ?? 0), '\n') : text;
}

function written(value: unknown, indent: string, newline: string): string {
  if (value instanceof ExactNumber) return value.text;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return JSON.stringify(value);
  const inner = newline + indent;
  const items = Array.isArray(value)
    ? value.map((item) => written(item, indent, inner))
    : Object.entries(value)
        .filter(([, item]) => isWritable(item))
        .map(([key, item]) => `${JSON.stringify(key)}:${indent && ' '}${written(item, indent, inner)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  if (items.length === 0) return `${open}${close}`;
  return indent === ''
    ? `${open}${items.join(',')}${close}`
    : `${open}${inner}${items.join(`,${inner}`)}${newline}${close}`;
}

function isWritable(value: unknown): boolean {
  return value !== undefined && typeof value !== 'function' && typeof value !== 'symbol';
}
