import type { Found } from './found.ts';
import { endsQuotedText } from './quotes.ts';
import { cookieValues, credentials } from './header-values.ts';
import { secretKindOfKey } from './secret-words.ts';
import { NAME, isIn } from './token-shapes.ts';
import { plainEnd, quotedEnd, skipBlanks, skipQuote, valueSpan } from './values.ts';

/**
 * In one piece of letters and digits without end, only what stands so near to its end can be the name of a secret, and no token begins
 * in the middle: words in it need not be looked at one by one.
 */
export const MAX_NAME = 64;

/** name = value, name: value, "name": "value", also inside text that holds escaped JSON. */
export function assignment(text: string, trigger: RegExpExecArray, from: number): Found | null {
  const at = trigger.index;
  let right = at + trigger[0].length;
  while (right < text.length && right - at < MAX_NAME && isIn(NAME, text.charCodeAt(right))) right++;
  // Looked at first: most words that could name a secret have no value behind them.
  const start = valueStart(text, right);
  if (start < 0) return null;
  let left = at;
  while (left > from && at - left < MAX_NAME && isIn(NAME, text.charCodeAt(left - 1))) left--;
  const kind = secretKindOfKey(text.slice(left, right));
  return kind ? valueFound(text, start, kind) : null;
}

/** Behind the name: an optional quote, spaces, ":" or "=" (or ":=", "=>"), spaces. */
function valueStart(text: string, at: number): number {
  let i = skipBlanks(text, skipQuote(text, at));
  if (text[i] !== ':' && text[i] !== '=') return -1;
  const isAssigned = text[i] === '=';
  i++;
  if (text[i] === '=' || text[i] === '>') i++;
  i = skipBlanks(text, i);
  // A shell runs what stands in such quotes.
  return isAssigned && text[i] === '`' ? -1 : i;
}

function valueFound(text: string, at: number, kind: string): Found | null {
  const open = skipQuote(text, at);
  if (kind === 'cookie') return cookieValues(text, open);
  if (kind === 'authorization') return credentials(text, open);
  // In `rm 'token=' -r x` the quote ends a text. A value in quotes rarely begins with a blank.
  const isEnd = open > at && isBlank(text, open) && endsQuotedText(text, at);
  const isQuoted = open > at && !isEnd;
  const start = skipScheme(text, open);
  const end = isQuoted ? quotedEnd(text, open) : plainEnd(text, start);
  return valueSpan(text, { kind, start: Math.min(start, end), end });
}

const isBlank = (text: string, at: number) => text[at] === ' ' || text[at] === '\t';

function skipScheme(text: string, at: number): number {
  const scheme = /^(?:bearer|basic|digest|token) /i.exec(text.slice(at, at + 7));
  return scheme ? at + scheme[0].length : at;
}
