// Looks at JSON text without making values of it. Everything here is linear and without recursion. Unless it says otherwise, a function
// expects text that JSON.parse has accepted: then what it finds is what the parser found.

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Any text: how many keys it writes, or -1 where it nests deeper than allowed. */
export function countWrittenKeys(text: string, maxDepth: number): number {
  let depth = 0;
  let keys = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = stringEnd(text, at);
        break;
      case COLON:
        keys++;
        break;
      case OPEN_LIST:
      case OPEN_OBJECT:
        if (++depth > maxDepth) return -1;
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth--;
        break;
    }
  }
  return keys;
}

/** Where long strings end, by where they begin, as far as that is known. */
export type StringEnds = Map<number, number>;

/** JSON text, and where its long strings end if an earlier scan has found that. */
export interface LocatedText {
  text: string;
  ends?: StringEnds | undefined;
}

/**
 * Any text: where the string that begins here has its closing quote; the end of the text where it has none. Quotes that are escaped are
 * followed up to `until`: beyond it the answer is -1.
 */
export function stringEnd(text: string, at: number, until = Infinity): number {
  const end = stringStretch(text, at + 1, until);
  return end < 0 ? -1 : end;
}

/** The same from a place inside of the string. Beyond `until` it gives up: ~ of its answer is the place to go on from. */
export function stringStretch(text: string, inside: number, until: number): number {
  for (let from = inside, end = text.indexOf('"', from); end !== -1; end = text.indexOf('"', from)) {
    let before = end - 1;
    while (before >= from && text.charCodeAt(before) === BACKSLASH) before--;
    if ((end - before) % 2 === 1) return end;
    if (end > until) return ~(end + 1);
    // Where one quote is escaped others will be near, and each search has its price.
    for (from = end + 1; from <= end + NEAR && from < text.length; from++) {
      const code = text.charCodeAt(from);
      if (code === QUOTE) return from;
      if (code === BACKSLASH) from++;
    }
  }
  return text.length;
}

const NEAR = 64;

/** Where the value that begins here ends. */
export function valueEnd(text: string, at: number, ends?: StringEnds): number {
  switch (text.charCodeAt(at)) {
    case QUOTE:
      return (ends?.get(at) ?? stringEnd(text, at)) + 1;
    case OPEN_LIST:
    case OPEN_OBJECT:
      return containerEnd(text, at, ends);
    default:
      return wordEnd(text, at);
  }
}

function containerEnd(text: string, from: number, ends?: StringEnds): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = ends?.get(at) ?? stringEnd(text, at);
        break;
      case OPEN_LIST:
      case OPEN_OBJECT:
        depth++;
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        if (--depth === 0) return at + 1;
        break;
    }
  }
  return text.length;
}

/** A number, true, false or null. */
function wordEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && !isWordEnd(text.charCodeAt(at))) at++;
  return at;
}

function isWordEnd(code: number): boolean {
  return code <= 0x20 || code === COMMA || code === CLOSE_LIST || code === CLOSE_OBJECT;
}

export function skipBlanks(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) <= 0x20) at++;
  return at;
}

export interface Span {
  start: number;
  end: number;
}

/** Where the value of a key begins in the object that begins here; of several, the first. Nothing behind it is looked at. */
export function memberStart({ text, ends }: LocatedText, object: number, key: string): number {
  if (text.charCodeAt(object) !== OPEN_OBJECT) return -1;
  for (let at = skipBlanks(text, object + 1); text.charCodeAt(at) === QUOTE;) {
    const keyEnd = ends?.get(at) ?? stringEnd(text, at);
    const start = skipBlanks(text, skipBlanks(text, keyEnd + 1) + 1);
    if (isKey(text.slice(at, keyEnd + 1), key)) return start;
    at = skipBlanks(text, valueEnd(text, start, ends));
    if (text.charCodeAt(at) === COMMA) at = skipBlanks(text, at + 1);
  }
  return -1;
}

/** Where the value of a key stands in the object that begins here. Of several, the last: it is the one that a parser keeps. */
export function memberSpan({ text, ends }: LocatedText, object: number, key: string): Span | undefined {
  if (text.charCodeAt(object) !== OPEN_OBJECT) return undefined;
  let found: Span | undefined;
  for (let at = skipBlanks(text, object + 1); text.charCodeAt(at) === QUOTE;) {
    const keyEnd = ends?.get(at) ?? stringEnd(text, at);
    const start = skipBlanks(text, skipBlanks(text, keyEnd + 1) + 1);
    const end = valueEnd(text, start, ends);
    if (isKey(text.slice(at, keyEnd + 1), key)) found = { start, end };
    at = skipBlanks(text, end);
    if (text.charCodeAt(at) === COMMA) at = skipBlanks(text, at + 1);
  }
  return found;
}

/** `quoted`: a key as it is written, with its quotes. */
function isKey(quoted: string, key: string): boolean {
  const length = quoted.length - 2;
  if (length === key.length) return quoted.startsWith(key, 1);
  // Written with escapes a key is longer, never shorter.
  return length > key.length && quoted.includes('\\') && JSON.parse(quoted) === key;
}

/** Where the items of the list that begins here stand. */
export function itemSpans(text: string, list: number): Span[] {
  const spans: Span[] = [];
  for (let at = skipBlanks(text, list + 1); at < text.length && text.charCodeAt(at) !== CLOSE_LIST;) {
    const end = valueEnd(text, at);
    spans.push({ start: at, end });
    at = skipBlanks(text, end);
    if (text.charCodeAt(at) === COMMA) at = skipBlanks(text, at + 1);
  }
  return spans;
}

/** Whether a number is written as JavaScript would not write it, or is too long for it. Seldom a false alarm, never a miss. */
export function hasUnusualNumber(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = stringEnd(text, at);
    else if (code === MINUS || isDigit(code)) {
      const start = at;
      while (isDigit(text.charCodeAt(at + 1))) at++;
      if (at - start >= SAFE_DIGITS || isFraction(text.charCodeAt(at + 1))) return true;
      if (code === MINUS && text.charCodeAt(start + 1) === ZERO) return true;
    }
  }
  return false;
}

/** Every integer of so many digits is exact. */
const SAFE_DIGITS = 15;

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

/** A dot or an exponent. */
function isFraction(code: number): boolean {
  return code === 0x2e || code === 0x45 || code === 0x65;
}

/** The same JSON on one line: between tokens a line break is a blank, and within strings there is none. */
export function onOneLine(text: string): string {
  return text.includes('\n') || text.includes('\r') ? text.replace(/[\r\n]/g, ' ') : text;
}
