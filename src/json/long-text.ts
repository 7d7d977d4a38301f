import type { JsonLimits } from './limits.ts';
import { stringStretch, type Span, type StringEnds } from './scan.ts';

/** A message that is longer is read in turn with others of its kind; below this, nobody notices. */
export const LONG_TEXT = 64 * 1024;
/** Steps of one text that are shorter together are done in one turn. */
const TOGETHER_MS = 1.5;
/** A pause after less than this would be none. */
const NOTICED_MS = 1;
/** So many times as long as a step took everybody else has the loop. */
const SHARE_OF_OTHERS = 2;

/** Work on a long text, in steps: it yields wherever it can be interrupted. */
export type Steps<T> = Generator<void, T>;

interface Job {
  steps: Steps<unknown>;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

const waiting: Job[] = [];
let running = false;

/**
 * Work that grows with what somebody sent. All of it stands in one queue: a turn of the event loop holds one step of one text, and after
 * it everybody else has twice as long as it took. However many long texts come, those with short ones go in between.
 */
export function inTurn<T>(steps: Steps<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    waiting.push({ steps, resolve: resolve as Job['resolve'], reject });
    if (!running) {
      running = true;
      setImmediate(next);
    }
  });
}

function next(): void {
  const job = waiting.shift();
  if (!job) return void (running = false);
  const began = performance.now();
  let isDone = advance(job);
  // Small steps go together, up to what nobody notices.
  while (!isDone && performance.now() - began < TOGETHER_MS) isDone = advance(job);
  if (!isDone) waiting.push(job);
  // At the end of the turn: what the step has set off counts as well.
  setImmediate(rest, began);
}

function rest(began: number): void {
  const took = performance.now() - began;
  if (took < NOTICED_MS) next();
  else setTimeout(next, SHARE_OF_OTHERS * took);
}

/** True: it has come to its end. */
function advance({ steps, resolve, reject }: Job): boolean {
  try {
    const { done, value } = steps.next();
    if (!done) return false;
    resolve(value);
  } catch (error) {
    reject(error);
  }
  return true;
}

export interface Sizes {
  /** What is looked at, or undone of escapes, in one step. */
  stretch: number;
  /** A string that is longer is read by itself. */
  longString: number;
}
const SIZES: Sizes = { stretch: 256 * 1024, longString: 128 * 1024 };

export interface Scanned {
  /** It is over a limit, and was looked at no further. */
  fault?: 'too deep' | 'too wide';
  /** How many keys are written. */
  keys: number;
  /** Where its long strings begin and end. */
  ends: StringEnds;
}

/** Like `countWrittenKeys`, in steps; remembers where long strings end, so that no later scan has to find that again. */
export function* scanLong(text: string, limits: JsonLimits, { stretch, longString } = SIZES): Steps<Scanned> {
  const ends: StringEnds = new Map();
  const tally = new Tally(limits);
  for (let at = 0, pause = stretch; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      const end = yield* stringEndLong(text, at, stretch);
      // A string without an end is left to the parser, which reports it.
      if (end - at > longString && end < text.length) ends.set(at, end);
      at = end;
    } else if (!tally.count(code)) return { fault: 'too deep', keys: tally.keys, ends };
    if (at < pause) continue;
    if (tally.isTooWide()) break;
    yield;
    pause = at + stretch;
  }
  const { keys } = tally;
  return tally.isTooWide() ? { fault: 'too wide', keys, ends } : { keys, ends };
}

class Tally {
  keys = 0;
  #items = 0;
  #depth = 0;
  readonly #limits: JsonLimits;

  constructor(limits: JsonLimits) {
    this.#limits = limits;
  }

  /** False: the text is nested too deeply. */
  count(code: number): boolean {
    if (code === 0x3a) this.keys++;
    else if (code === 0x2c) this.#items++;
    else if (code === 0x5d || code === 0x7d) this.#depth--;
    else if (code === 0x5b || code === 0x7b) return ++this.#depth <= this.#limits.depth;
    return true;
  }

  isTooWide(): boolean {
    return this.keys > this.#limits.keys || this.#items > this.#limits.items;
  }
}

function* stringEndLong(text: string, at: number, stretch: number): Steps<number> {
  for (let from = at + 1; ;) {
    const end = stringStretch(text, from, from + stretch);
    if (end >= 0) return end;
    from = ~end;
    yield;
  }
}

/**
 * Like JSON.parse, in steps: long strings are taken out, read piece by piece by the same parser, and put back. Throws a SyntaxError,
 * which names no place, where the text is no JSON.
 */
export function* parseLong(text: string, ends: StringEnds, { stretch } = SIZES): Steps<unknown> {
  const values = [...ends].filter(([, end]) => !isKey(text, end));
  if (values.length === 0) return JSON.parse(text);
  // Not to be guessed, or a text could hold it; by what browsers have too, as the page reads long texts as well.
  const mark = crypto.getRandomValues(new Uint32Array(4)).join('-');
  const strings = new Map<string, string>();
  let rest = '';
  let from = 0;
  for (const [start, end] of values) {
    const name = `${mark}${strings.size}`;
    rest += `${text.slice(from, start)}"${name}"`;
    strings.set(name, yield* stringLong(text, { start: start + 1, end }, stretch));
    from = end + 1;
  }
  rest += text.slice(from);
  const value = parsePart(rest);
  yield;
  return restored(value, mark.length, strings);
}

/** Drops the parser's message: its position is relative to this part and would be wrong for the whole text. */
function parsePart(part: string): unknown {
  try {
    return JSON.parse(part);
  } catch {
    throw new SyntaxError('no JSON');
  }
}

function isKey(text: string, end: number): boolean {
  let at = end + 1;
  while (text.charCodeAt(at) <= 0x20) at++;
  return text.charCodeAt(at) === 0x3a;
}

/** Without escapes the string is a part of the text itself, and takes no memory of its own. */
function* stringLong(text: string, { start, end }: Span, stretch: number): Steps<string> {
  let whole: string | undefined;
  for (let from = start; from < end;) {
    const to = from + stretch >= end ? end : wholeUntil(text, from, from + stretch);
    const part = text.slice(from, to);
    if (part.includes('\\')) whole ??= text.slice(start, from);
    if (whole !== undefined) whole += parsePart(`"${part}"`) as string;
    else if (CONTROL.test(part)) throw new SyntaxError('a control character in a string');
    from = to;
    yield;
  }
  return whole ?? text.slice(start, end);
}

/** What JSON allows in no string. */
const CONTROL = /[\u0000-\u001f]/;

/** The last place up to `end` that is not inside of an escape; `from` is not inside of one. */
export function wholeUntil(text: string, from: number, end: number): number {
  for (let at = Math.max(from, end - 5); at < end; at++)
    if (text.charCodeAt(at) === 0x5c && !isEscaped(text, from, at)) {
      const next = at + (text.charAt(at + 1) === 'u' ? 6 : 2);
      if (next > end) return at;
      at = next - 1;
    }
  return end;
}

function isEscaped(text: string, from: number, at: number): boolean {
  let before = at - 1;
  while (before >= from && text.charCodeAt(before) === 0x5c) before--;
  return (at - before) % 2 === 0;
}

function restored(value: unknown, length: number, strings: ReadonlyMap<string, string>): unknown {
  const stringOf = (item: unknown) =>
    typeof item === 'string' && item.length > length && item.length < length + 8
      ? strings.get(item)
      : undefined;
  const root = stringOf(value);
  if (root !== undefined) return root;
  const open = [value];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (Array.isArray(node)) {
      for (let i = 0; i < node.length; i++) {
        node[i] = stringOf(node[i]) ?? (node[i] as unknown);
        if (isContainer(node[i])) open.push(node[i]);
      }
    } else if (isContainer(node))
      for (const key in node) {
        const item = node[key];
        if (isContainer(item)) open.push(item);
        const string = stringOf(item);
        // By definition and not by assignment: the key may be "__proto__".
        if (string !== undefined) Object.defineProperty(node, key, { ...SHOWN, value: string });
      }
  }
  return value;
}

const isContainer = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
const SHOWN = { enumerable: true, configurable: true, writable: true };
