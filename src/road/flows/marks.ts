import { randomInt } from 'node:crypto';

/** Is told the fingerprint of a piece: two hashes, which must both fit. */
export type EachMark = (key: number, check: number) => void;

/** Letters and digits in one piece. */
const LENGTH = 12;
/** Pieces of one word begin this far apart, so that half of a long word is recognised as well. */
const STRIDE = 8;
const LONGEST = LENGTH + STRIDE * 5;

// Chosen anew by each process: nobody can prepare texts that collide.
const [BASE, CHECK_BASE] = [randomInt(2 ** 30) * 2 + 1, randomInt(2 ** 30) * 2 + 1];
const power = (base: number) => {
  let product = 1;
  for (let n = 0; n < LENGTH; n++) product = Math.imul(product, base);
  return product;
};
const [OLDEST, CHECK_OLDEST] = [power(BASE), power(CHECK_BASE)];

/** What a character is; of those that do not count, some end a word. */
const [PASSED_OVER, ENDS_WORD, DIGIT, SMALL, CAPITAL] = [0, 1, 2, 3, 4];
const KIND = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[0-9]/.test(character)) return DIGIT;
  if (/[A-Za-z]/.test(character)) return character < 'a' ? CAPITAL : SMALL;
  return /[\s"'`<>()[\]{},;|\\]/.test(character) ? ENDS_WORD : PASSED_OVER;
});
const kindOf = (code: number) => (code < 128 ? KIND[code]! : PASSED_OVER);
const small = (code: number, kind: number) => (kind === CAPITAL ? code + 32 : code);

/**
 * Every piece of a text that may be a mark. Only letters and digits count, and not their case: what stands between them, seen or not,
 * changes nothing.
 */
export function piecesOf(text: string, each: EachMark): void {
  const window = new Uint8Array(LENGTH);
  let [place, seen, digits, key, check] = [0, 0, 0, 0, 0];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const kind = kindOf(code);
    if (kind <= ENDS_WORD) continue;
    const gone = window[place]!;
    window[place] = small(code, kind);
    key = (Math.imul(key, BASE) + window[place]! - Math.imul(gone, OLDEST)) | 0;
    check = (Math.imul(check, CHECK_BASE) + window[place]! - Math.imul(gone, CHECK_OLDEST)) | 0;
    if (++place === LENGTH) place = 0;
    if (kind === DIGIT) digits++;
    if (KIND[gone] === DIGIT) digits--;
    if (++seen >= LENGTH && digits > 0) each(key, check);
  }
}

/** The marks of a text: pieces of its words that hardly occur twice by chance, as of keys, ids and tokens. */
export function marksOf(text: string, each: EachMark): void {
  const word = new Uint8Array(LONGEST);
  let length = 0;
  for (let i = 0; i <= text.length; i++) {
    const code = i < text.length ? text.charCodeAt(i) : 32;
    const kind = kindOf(code);
    if (kind > ENDS_WORD && length < LONGEST) word[length++] = code;
    else if (kind === ENDS_WORD) {
      if (length >= LENGTH) marksOfWord(word, length, each);
      length = 0;
    }
  }
}

function marksOfWord(word: Uint8Array, length: number, each: EachMark): void {
  for (let start = 0; start + LENGTH <= length; start += STRIDE) {
    if (!isDistinctive(word, start)) continue;
    let [key, check] = [0, 0];
    for (let i = start; i < start + LENGTH; i++) {
      const code = small(word[i]!, KIND[word[i]!]!);
      key = (Math.imul(key, BASE) + code) | 0;
      check = (Math.imul(check, CHECK_BASE) + code) | 0;
    }
    each(key, check);
  }
}

/** From one kind to another, small letters and capitals being two; from digits to letters and back. */
const [MANY_TURNS, DIGIT_TURNS] = [7, 4];

/**
 * Digits, letters and capitals in turn, as chance would have them, or a number in hexadecimal digits. Not so in dates, versions, paths and
 * most names.
 */
function isDistinctive(word: Uint8Array, start: number): boolean {
  let [digits, hex, turns, digitTurns, before] = [0, 0, 0, 0, 0];
  for (let i = start; i < start + LENGTH; i++) {
    const kind = KIND[word[i]!]!;
    if (kind === DIGIT) digits++;
    else if ((word[i]! | 32) <= 102) hex++;
    if (i > start && kind !== before) turns++;
    if (i > start && (kind === DIGIT) !== (before === DIGIT)) digitTurns++;
    before = kind;
  }
  const letters = LENGTH - digits;
  if (hex === letters && hex > 0 && digits >= 4) return true;
  if (digits > 0 && turns >= MANY_TURNS) return true;
  return digits >= 2 && letters >= 3 && digitTurns >= DIGIT_TURNS;
}
