import { nextTrigger, secretKindOfKey } from './secret-words.ts';
import {
  ENDS_LINE,
  ENDS_USERINFO,
  ENDS_VALUE,
  NAME,
  TOKEN_SHAPES,
  URL_SAFE,
  isIn,
  type TokenShape,
} from './token-shapes.ts';

/** Replaces secrets in free text. */
export function maskText(text: string): string {
  const hits = findSecrets(text);
  if (!hits) return text;
  let out = '';
  let from = 0;
  for (const { kind, start, end } of hits) {
    out += text.slice(from, start) + masked(kind);
    from = end;
  }
  return out + text.slice(from);
}

/**
 * Where secrets stand in free text, in order; undefined where there is none. Time is linear in the text: one search for fixed beginnings
 * (a pattern without repetition), and behind each a scan that either goes past what it masks or gives up after a bounded number of
 * characters.
 */
export function findSecrets(text: string): SecretSpan[] | undefined {
  let hits: SecretSpan[] | undefined;
  let from = 0;
  let settled = 0;
  let next = 0;
  for (let found = nextTrigger(text, 0); found; found = nextTrigger(text, next)) {
    const at = found.index;
    next = at + found[0].length;
    if (at < settled) continue;
    const hit = secretAt(text, found, from);
    if (hit) {
      (hits ??= []).push(hit);
      from = hit.end;
      next = Math.max(hit.end, next);
    } else settled = skip(text, at, URL_SAFE) - MAX_NAME;
  }
  return hits;
}

export function masked(kind: string): string {
  return `***[masked:${kind}]`;
}

export interface SecretSpan {
  kind: string;
  start: number;
  end: number;
}

function secretAt(text: string, trigger: RegExpExecArray, from: number): SecretSpan | null {
  const at = trigger.index;
  switch (trigger[0].toLowerCase()) {
    case '://':
      return inUrl(text, at);
    case '-----begin ':
      return privateKey(text, at);
    case 'eyj':
      return webToken(text, at);
  }
  return knownToken(text, at) ?? assignment(text, trigger, from);
}

function knownToken(text: string, at: number): SecretSpan | null {
  if (at > 0 && isIn(URL_SAFE, text.charCodeAt(at - 1))) return null;
  for (const shape of TOKEN_SHAPES) {
    if (!startsWith(text, at, shape)) continue;
    const body = at + shape.prefix.length;
    const end = skip(text, body, shape.body);
    if (end - body >= shape.min) return { kind: shape.kind, start: shape.keepPrefix ? body : at, end };
  }
  return null;
}

/** Tokens are case-sensitive; the scheme of a header is not. */
function startsWith(text: string, at: number, { prefix, keepPrefix }: TokenShape): boolean {
  if (!keepPrefix) return text.startsWith(prefix, at);
  return text.slice(at, at + prefix.length).toLowerCase() === prefix;
}

function webToken(text: string, at: number): SecretSpan | null {
  if (!text.startsWith('eyJ', at) || (at > 0 && isIn(URL_SAFE, text.charCodeAt(at - 1)))) return null;
  let end = skip(text, at, URL_SAFE);
  if (end - at < 10 || text[end] !== '.') return null;
  while (text[end] === '.') end = skip(text, end + 1, URL_SAFE);
  return { kind: 'jwt', start: at, end };
}

const KEY_HEADER_LENGTH = 64;

function privateKey(text: string, at: number): SecretSpan | null {
  const header = text.slice(at, at + KEY_HEADER_LENGTH);
  const label = header.indexOf('PRIVATE KEY');
  if (label < 0) return null;
  const footer = text.indexOf('-----END', at + label);
  // Without a footer the text was cut: what is left of the key goes too.
  if (footer < 0) return { kind: 'private-key', start: at, end: text.length };
  const close = text.slice(footer + 8, footer + 8 + KEY_HEADER_LENGTH).indexOf('-----');
  return { kind: 'private-key', start: at, end: close < 0 ? text.length : footer + 8 + close + 5 };
}

const MAX_USERINFO = 1024;

/** scheme://user:password@host */
function inUrl(text: string, at: number): SecretSpan | null {
  const start = at + 3;
  let colon = -1;
  for (let i = start; i < text.length && i < start + MAX_USERINFO; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x40)
      return colon < 0 || colon + 1 === i ? null : { kind: 'url-password', start: colon + 1, end: i };
    if (code === 0x3a && colon < 0) colon = i;
    else if (isIn(ENDS_USERINFO, code)) return null;
  }
  return null;
}

/**
 * In one piece of letters and digits without end, only what stands so near to its end can be the name of a secret, and no token begins
 * in the middle: words in it need not be looked at one by one.
 */
const MAX_NAME = 64;

/** name = value, name: value, "name": "value", also inside text that holds escaped JSON. */
function assignment(text: string, trigger: RegExpExecArray, from: number): SecretSpan | null {
  const at = trigger.index;
  let right = at + trigger[0].length;
  while (right < text.length && right - at < MAX_NAME && isIn(NAME, text.charCodeAt(right))) right++;
  // Looked at first: most words that could name a secret have no value behind them.
  const start = valueStart(text, right);
  if (start < 0) return null;
  let left = at;
  while (left > from && at - left < MAX_NAME && isIn(NAME, text.charCodeAt(left - 1))) left--;
  const kind = secretKindOfKey(text.slice(left, right));
  return kind ? valueHit(text, start, kind) : null;
}

/** Behind the name: an optional quote, spaces, ":" or "=" (or ":=", "=>"), spaces. */
function valueStart(text: string, at: number): number {
  let i = skipQuote(text, at);
  i = skipBlanks(text, i);
  if (text[i] !== ':' && text[i] !== '=') return -1;
  i++;
  if (text[i] === '=' || text[i] === '>') i++;
  return skipBlanks(text, i);
}

function valueHit(text: string, at: number, kind: string): SecretSpan | null {
  const open = skipQuote(text, at);
  const start = skipScheme(text, open);
  // What is masked already stays as it is; looking first keeps repeated masks from being scanned again and again.
  if (text.startsWith('***', start)) return null;
  const wholeLine = kind === 'authorization' || kind === 'cookie';
  const end = open > at ? quotedEnd(text, start, text[open - 1]!) : plainEnd(text, start, wholeLine);
  const length = end - start;
  if (length < 3 || (length <= 9 && NO_VALUE.test(text.slice(start, end)))) return null;
  return { kind, start, end };
}

/** Words that stand where a value could, in schemas and in complaints such as "'secret': must be …". */
const NO_VALUE =
  /^(?:true|false|null|none|undefined|string|required|must|missing|invalid|expired|unknown|not)$/i;

function skipQuote(text: string, at: number): number {
  const quote = text[at] === '\\' ? at + 1 : at;
  return text[quote] === '"' || text[quote] === "'" || text[quote] === '`' ? quote + 1 : at;
}

function skipBlanks(text: string, at: number): number {
  let i = at;
  while (i - at < 8 && (text[i] === ' ' || text[i] === '\t')) i++;
  return i;
}

function skipScheme(text: string, at: number): number {
  const scheme = /^(?:bearer|basic|digest|token) /i.exec(text.slice(at, at + 7));
  return scheme ? at + scheme[0].length : at;
}

function quotedEnd(text: string, at: number, quote: string): number {
  const close = quote.charCodeAt(0);
  for (let i = at; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === close || code === 0x0a) return text.charCodeAt(i - 1) === 0x5c ? i - 1 : i;
  }
  return text.length;
}

function plainEnd(text: string, at: number, wholeLine: boolean): number {
  const ends = wholeLine ? ENDS_LINE : ENDS_VALUE;
  let i = at;
  while (i < text.length && !isIn(ends, text.charCodeAt(i))) i++;
  return i;
}

function skip(text: string, at: number, set: Uint8Array): number {
  let i = at;
  while (i < text.length && isIn(set, text.charCodeAt(i))) i++;
  return i;
}
