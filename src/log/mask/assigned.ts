import type { Found } from './found.ts';
import { endsQuotedText } from './quotes.ts';
import { cookieValues, credentials } from './header-values.ts';
import { nearName } from './near-name.ts';
import { isPlaceholder } from './placeholder.ts';
import { isRandomKey } from './random.ts';
import { secretKindOfKey, weakKindOfKey } from './secret-words.ts';
import { NAME, isIn } from './characters.ts';
import { plainEnd, quotedEnd, skipBlanks, skipQuote, valueSpan } from './values.ts';

/**
 * In one piece of letters and digits without end, only what stands so near to its end can be the name of a secret, and no token begins
 * in the middle: words in it need not be looked at one by one.
 */
export const MAX_NAME = 64;

/** What a name says about the value behind it. */
interface Name {
  kind: string;
  /** It may also be the name of something else: only a value that looks random counts. */
  isWeak: boolean;
  end: number;
}

/** The value that belongs to a name of a secret: name = value, name: value, "name": "value", or a random value near it. */
export function assignment(
  text: string,
  { at, end }: { at: number; end: number },
  from: number,
): Found | null {
  const name = nameAround(text, { at, end }, from);
  if (!name) return null;
  const start = valueStart(text, name.end);
  if (start < 0) return nearName(text, name);
  const found = valueFound(text, start, name.kind);
  if (!name.isWeak || !found) return found;
  const [span] = found.spans;
  return span && isRandomKey(text.slice(span.start, span.end)) ? found : null;
}

function nameAround(text: string, { at, end }: { at: number; end: number }, from: number): Name | null {
  let right = end;
  while (right < text.length && right - at < MAX_NAME && isIn(NAME, text.charCodeAt(right))) right++;
  // Longer than a name.
  if (right - at >= MAX_NAME) return null;
  // The sign of an assignment such as ".=".
  while (right > end && text[right - 1] === '.') right--;
  let left = at;
  while (left > from && at - left < MAX_NAME && isIn(NAME, text.charCodeAt(left - 1))) left--;
  const name = text.slice(left, right);
  const kind = secretKindOfKey(name);
  if (kind) return { kind, isWeak: false, end: right };
  const weak = weakKindOfKey(name);
  return weak ? { kind: weak, isWeak: true, end: right } : null;
}

const SIGN = /[:.?+|]{1,3}=|={1,2}>?|:{1,3}>?/y;
/** As in the files of NuGet: key="Password" value="…". */
const ATTRIBUTE = /[ \t]{1,8}value[ \t]{0,8}=/iy;

/** Behind the name: an optional quote, spaces, ":" or "=" (or ":=", "=>", "?="), spaces. */
function valueStart(text: string, at: number): number {
  const quote = skipQuote(text, at);
  const sign = skipBlanks(text, quote);
  SIGN.lastIndex = sign;
  const isAssigned = text[sign] === '=';
  if (!SIGN.test(text)) return attributeStart(text, quote);
  const i = skipBlanks(text, SIGN.lastIndex);
  // A shell runs what stands in such quotes.
  return isAssigned && text[i] === '`' ? -1 : i;
}

function attributeStart(text: string, at: number): number {
  ATTRIBUTE.lastIndex = at;
  return ATTRIBUTE.test(text) ? skipBlanks(text, ATTRIBUTE.lastIndex) : -1;
}

function valueFound(text: string, at: number, kind: string): Found | null {
  const open = skipQuote(text, at);
  if (open === at && isCall(text, at)) return null;
  if (kind === 'cookie') return cookieValues(text, open);
  if (kind === 'authorization') return credentials(text, open);
  // In `rm 'token=' -r x` the quote ends a text. A value in quotes rarely begins with a blank.
  const isEnd = open > at && isBlank(text, open) && endsQuotedText(text, at);
  const isQuoted = open > at && !isEnd;
  const start = skipScheme(text, open);
  const end = isQuoted ? quotedEnd(text, open) : plainEnd(text, start);
  const span = { kind, start: Math.min(start, end), end };
  return standsForAnother(text, span) ? null : valueSpan(text, span);
}

const CALL = /(?:(?:new|await) )?[A-Za-z_][A-Za-z_.]{0,80}\(/y;

/** Code that computes the value. */
function isCall(text: string, at: number): boolean {
  CALL.lastIndex = at;
  return CALL.test(text);
}

/** A template or an example. */
function standsForAnother(text: string, { start, end }: { start: number; end: number }): boolean {
  return isPlaceholder(text.slice(start, Math.min(end, start + LONGEST_PLACEHOLDER)));
}

const LONGEST_PLACEHOLDER = 301;

const isBlank = (text: string, at: number) => text[at] === ' ' || text[at] === '\t';

function skipScheme(text: string, at: number): number {
  const scheme = /^(?:bearer|basic|digest|token) /i.exec(text.slice(at, at + 7));
  return scheme ? at + scheme[0].length : at;
}
