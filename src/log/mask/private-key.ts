import { BASE64, skip } from './characters.ts';
import type { Found } from './found.ts';

const HEADER = /-----BEGIN ([A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?)-----/y;
/** A line break, also as it is written in JSON; blanks, where a key was put on one line. */
const BREAK = /(?:[ \t\r\n]|\\{1,2}[nr])+/y;
/** As in "Proc-Type: 4,ENCRYPTED" or "Version: GnuPG v2". It stays readable. */
const FIELD = /[A-Z][A-Za-z-]{2,30}: [^\r\n\\]{0,200}/y;
const CHECKSUM = /^=[A-Za-z0-9+/]{4}$/;
const MAX_FIELDS = 8;
const SHORTEST_FIRST = 32;
const SHORTEST_CUT = 16;

/**
 * A private key in PEM. Only lines of base64 count as the key: whatever follows them stays readable, and a header without such lines is no
 * key. With its end the whole block is masked; without, or with fields, only the lines.
 */
export function privateKey(text: string, at: number): Found | null {
  HEADER.lastIndex = at;
  const header = HEADER.exec(text);
  if (!header) return null;
  const first = afterBreak(text, HEADER.lastIndex);
  const start = afterFields(text, first);
  const footer = `-----END ${header[1]}-----`;
  const body = bodyEnd(text, start, footer);
  if (body === null) return null;
  const isWhole = body.footer >= 0 && start === first;
  const span = isWhole ? { start: at, end: body.footer + footer.length } : { start, end: body.end };
  return { spans: [{ kind: 'private-key', ...span }], end: span.end };
}

function afterFields(text: string, from: number): number {
  let at = from;
  for (let n = 0; n < MAX_FIELDS; n++) {
    FIELD.lastIndex = at;
    if (!FIELD.test(text)) break;
    at = afterBreak(text, FIELD.lastIndex);
  }
  return at;
}

function afterBreak(text: string, at: number): number {
  BREAK.lastIndex = at;
  return BREAK.test(text) ? BREAK.lastIndex : at;
}

/** The end of the last line of the key, and where its footer stands: -1 where it has none. Null where no key begins here. */
function bodyEnd(text: string, from: number, footer: string): { end: number; footer: number } | null {
  const first = skip(text, from, BASE64);
  const width = first - from;
  if (width < SHORTEST_FIRST || !isMixed(text.slice(from, first))) return null;
  const { end, next } = afterFullLines(text, first, width);
  if (text.startsWith(footer, next)) return { end, footer: next };
  const stop = skip(text, next, BASE64);
  const last = text.slice(next, stop);
  if (next === end || last.length > width) return { end, footer: -1 };
  const behind = afterBreak(text, stop);
  // The lines before it are full, and base64 comes in groups of four.
  if (text.startsWith(footer, behind) && isLastLine(last, width)) return { end: stop, footer: behind };
  // The end of the key is missing, and the line may be cut; a word is no line.
  return { end: last.length >= SHORTEST_CUT && isMixed(last) ? stop : end, footer: -1 };
}

/** The end of the last line of full width, and where the text goes on behind the line break. */
function afterFullLines(text: string, first: number, width: number): { end: number; next: number } {
  let end = first;
  for (;;) {
    const next = afterBreak(text, end);
    const stop = skip(text, next, BASE64);
    if (next === end || stop - next !== width) return { end, next };
    end = stop;
  }
}

const isLastLine = (line: string, width: number): boolean =>
  (width % 4 === 0 ? line.length % 4 === 0 : line.length > 0) || CHECKSUM.test(line);

/** Text of words seldom has capital letters, small ones and digits; base64 nearly always has. */
function isMixed(line: string): boolean {
  return /[A-Z]/.test(line) && /[a-z]/.test(line) && /[0-9+/]/.test(line);
}
