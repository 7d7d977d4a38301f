import { one, type Found, type SecretSpan } from './found.ts';
import { beginsCommand, beginsExpansion, separatorStart } from './shell-ends.ts';
import { ENDS_VALUE, isIn } from './characters.ts';

/** A phrase in quotes that is longer is no password. */
const MAX_PHRASE = 200;

/** Words that stand where a value could, in schemas and in complaints such as "'secret': must be …". */
const NO_VALUE =
  /^(?:\*+|true|false|null|none|undefined|string|number|boolean|object|symbol|required|must|missing|invalid|expired|unknown|not)$/i;

/** Null where the value is too short for a secret, or a word that stands for none. */
export function valueSpan(text: string, { kind, start, end }: SecretSpan): Found | null {
  const length = end - start;
  if (length < 3) return null;
  return length <= 9 && NO_VALUE.test(text.slice(start, end)) ? null : one(kind, start, end);
}

/** The end of a value without quotes. */
export function plainEnd(text: string, at: number): number {
  let i = at;
  while (i < text.length) {
    const code = text.charCodeAt(i);
    if (code < 128 ? isIn(ENDS_VALUE, code) : isWideBlank(code)) break;
    if (code === 0x24 && beginsExpansion(text, i)) break;
    i++;
  }
  return i;
}

/**
 * The end of a value in quotes that begins at `open`: the closing quote, or an earlier place where a shell would begin a command. A quote that
 * is not closed in its line, and a long text in quotes, count as no quote.
 */
export function quotedEnd(text: string, open: number): number {
  const isEscaped = text[open - 2] === '\\';
  let hasBlank = false;
  let i = open;
  for (; i < text.length && !isLineEnd(text, i, isEscaped) && !closes(text, i, open); i++) {
    if (beginsCommand(text, i)) return separatorStart(text, i, open);
    hasBlank ||= text[i] === ' ';
  }
  const isClosed = text[i] === text[open - 1] && (!isEscaped || slashesBefore(text, i, open) % 2 === 1);
  if (!isClosed || (hasBlank && i - open > MAX_PHRASE)) return plainEnd(text, open);
  return isEscaped ? i - 1 : i;
}

/** Whether this is the quote that the value began with; in double quotes, one after a backslash is part of the value. */
function closes(text: string, at: number, open: number): boolean {
  const quote = text.charCodeAt(open - 1);
  if (text.charCodeAt(at) !== quote) return false;
  const isInner = quote === DOUBLE && text[open - 2] !== '\\' && slashesBefore(text, at, open) % 2 === 1;
  return !isInner;
}

const DOUBLE = 0x22;

function slashesBefore(text: string, at: number, from: number): number {
  let i = at;
  while (i > from && text.charCodeAt(i - 1) === 0x5c) i--;
  return at - i;
}

/** A line break; where the quotes are escaped, also one as JSON writes it. */
function isLineEnd(text: string, at: number, isEscaped: boolean): boolean {
  if (isEscaped && text[at] === '\\') return text[at + 1] === 'n' || text[at + 1] === 'r';
  return isBreak(text.charCodeAt(at));
}

function isBreak(code: number): boolean {
  return code === 0x0a || code === 0x0d || code === 0x85 || code === 0x2028 || code === 0x2029;
}

function isWideBlank(code: number): boolean {
  return code === 0xa0 || code === 0x3000 || (code >= 0x2000 && code <= 0x200a) || isBreak(code);
}

/** Behind an opening quote, also one that is written `\"`; the same place where there is none. */
export function skipQuote(text: string, at: number): number {
  const quote = text[at] === '\\' ? at + 1 : at;
  return text[quote] === '"' || text[quote] === "'" || text[quote] === '`' ? quote + 1 : at;
}

export function skipBlanks(text: string, at: number): number {
  let i = at;
  while (i - at < 8 && (text[i] === ' ' || text[i] === '\t')) i++;
  return i;
}
