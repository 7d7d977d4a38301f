/**
 * The distinct words of a text in lower case. Index, unindexed records and queries all use this function, so they agree on
 * what a word is. `_`, `-`, `.` and `/` separate: "read_file" is found by "read", by "file" and by "read_file".
 */
export function wordsOf(text: string, into: Set<string> = new Set()): Set<string> {
  if (isAscii(text)) return asciiWords(text.toLowerCase(), into);
  const small = spaced(text.normalize('NFKC').toLowerCase());
  for (const [word] of small.matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    if (into.size >= MAX_WORDS) break;
    into.add(word.length > MAX_WORD_LENGTH ? word.slice(0, MAX_WORD_LENGTH) : word);
  }
  return into;
}

const IN_WORD = new Uint8Array(128);
for (const letter of 'abcdefghijklmnopqrstuvwxyz0123456789') IN_WORD[letter.charCodeAt(0)] = 1;

/** The fast path for ASCII, without a regular expression: it runs for every record. */
function asciiWords(small: string, into: Set<string>): Set<string> {
  let start = -1;
  for (let i = 0; i <= small.length; i++) {
    if (i < small.length && IN_WORD[small.charCodeAt(i)] === 1) {
      if (start < 0) start = i;
    } else if (start >= 0) {
      if (into.size >= MAX_WORDS) return into;
      into.add(small.slice(start, Math.min(i, start + MAX_WORD_LENGTH)));
      start = -1;
    }
  }
  return into;
}

const MAX_WORDS = 4096;
const MAX_WORD_LENGTH = 48;

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false;
  return true;
}

/** In scripts without spaces every character is a word. */
function spaced(text: string): string {
  return text.replace(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu, ' $& ');
}
