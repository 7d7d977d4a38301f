/**
 * The words of a text, in small letters, each once. Index, unindexed records and queries all use this one function, so they agree on
 * what a word is. `_`, `-`, `.` and `/` separate: "read_file" is found by "read", by "file" and by "read_file".
 */
export function wordsOf(text: string, into: Set<string> = new Set()): Set<string> {
  const small = isAscii(text) ? text.toLowerCase() : spaced(text.normalize('NFKC').toLowerCase());
  for (const [word] of small.matchAll(isAscii(small) ? /[a-z0-9]+/g : /[\p{L}\p{N}\p{M}]+/gu)) {
    if (into.size >= MAX_WORDS) break;
    into.add(word.length > MAX_WORD_LENGTH ? word.slice(0, MAX_WORD_LENGTH) : word);
  }
  return into;
}

const MAX_WORDS = 4096;
const MAX_WORD_LENGTH = 48;

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false;
  return true;
}

/** Scripts that are written without spaces: every character is a word. */
function spaced(text: string): string {
  return text.replace(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu, ' $& ');
}
