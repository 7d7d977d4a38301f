import { randomInt } from 'node:crypto';
import { isObject } from '../../json/index.ts';

/** Receives the fingerprint of a piece: two hashes, which must both match. */
export type EachMark = (key: number, check: number) => void;

/** Letters and digits in one piece. */
const LENGTH = 12;
/** Pieces of one word begin this far apart, so that half of a long word is recognised as well. */
const STRIDE = 8;
const LONGEST = LENGTH + STRIDE * 5;

// Chosen at random by each process, so that nobody can prepare texts that collide.
const [BASE, CHECK_BASE] = [randomInt(2 ** 30) * 2 + 1, randomInt(2 ** 30) * 2 + 1];
const power = (base: number) => {
  let product = 1;
  for (let n = 0; n < LENGTH; n++) product = Math.imul(product, base);
  return product;
};
const [OLDEST, CHECK_OLDEST] = [power(BASE), power(CHECK_BASE)];

/** The kind of a character; of those that do not count, some end a word. */
const [IGNORED, ENDS_WORD, DIGIT, SMALL, CAPITAL] = [0, 1, 2, 3, 4];
const KIND = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[0-9]/.test(character)) return DIGIT;
  if (/[A-Za-z]/.test(character)) return character < 'a' ? CAPITAL : SMALL;
  return /[\s"'`<>()[\]{},;|\\]/.test(character) ? ENDS_WORD : IGNORED;
});
const kindOf = (code: number) => (code < 128 ? KIND[code]! : IGNORED);
const small = (code: number, kind: number) => (kind === CAPITAL ? code + 32 : code);

/**
 * Every piece of a text that may be a mark. Only letters and digits count, in any case: other characters between them, visible or not, are
 * ignored.
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

/** The marks of a text: pieces of words that hardly occur twice by chance, such as parts of keys, ids and tokens. */
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

/** Changes from one kind of character to another (small letters and capitals are two kinds), and between digits and letters. */
const [MANY_TURNS, DIGIT_TURNS] = [7, 4];

/**
 * Whether a piece looks random: digits, letters and capitals alternate, or it is a number in hexadecimal digits. Dates, versions, paths and
 * most names do not.
 */
function isDistinctive(word: Uint8Array, start: number): boolean {
  const { digits, hex, turns, digitTurns } = shapeOf(word, start);
  const letters = LENGTH - digits;
  if (hex === letters && hex > 0 && digits >= 4) return true;
  if (digits > 0 && turns >= MANY_TURNS) return true;
  return digits >= 2 && letters >= 3 && digitTurns >= DIGIT_TURNS;
}

function shapeOf(word: Uint8Array, start: number) {
  const shape = { digits: 0, hex: 0, turns: 0, digitTurns: 0 };
  let before = KIND[word[start]!]!;
  for (let i = start; i < start + LENGTH; i++) {
    const kind = KIND[word[i]!]!;
    if (kind === DIGIT) shape.digits++;
    else if ((word[i]! | 32) <= 102) shape.hex++;
    if (kind !== before) shape.turns++;
    if ((kind === DIGIT) !== (before === DIGIT)) shape.digitTurns++;
    before = kind;
  }
  return shape;
}

const MAX_DEPTH = 64;
/** Images and audio: long, and not text. */
const BINARY = new Set(['data', 'blob']);

export interface Texts {
  values: string;
  keys: string;
}

/** All texts of a value, joined, up to `most` characters: data that was split over several arguments is adjacent again. */
export function textsIn(value: unknown, between: string, most: number): Texts {
  const texts: Texts = { values: '', keys: '' };
  // The number of visited values is limited too: a result may have millions of parts.
  let steps = most;
  const add = (to: keyof Texts, text: string) => {
    const room = most - texts.values.length - texts.keys.length;
    if (room > 0) texts[to] += between + (text.length > room ? text.slice(0, room) : text);
    else steps = 0;
  };
  const walk = (node: unknown, depth: number): void => {
    if (steps-- <= 0) return;
    if (typeof node === 'string') return add('values', node);
    if (depth > MAX_DEPTH || typeof node !== 'object' || node === null) return;
    if (Array.isArray(node)) node.every((child) => (walk(child, depth + 1), steps > 0));
    else if (isObject(node))
      for (const key in node) {
        if (steps <= 0) return;
        add('keys', key);
        if (!(BINARY.has(key) && typeof node.mimeType === 'string')) walk(node[key], depth + 1);
      }
  };
  walk(value, 0);
  return texts;
}

const LAYERS = 2;
/** The shortest run of base64 or hexadecimal digits that can hold a mark. */
const [BASE64_RUN, HEX_RUN] = [20, 32];

/** The text, and its decodings as percent-encoding, base64 or hexadecimal digits, also nested. */
export function* readings(text: string, layers = LAYERS): Generator<string> {
  if (text === '') return;
  yield text;
  const { ascii, percent, base64, hex } = encodingOf(text);
  if (!ascii) yield text.normalize('NFKC');
  if (layers === 0) return;
  if (percent) yield* readings(percentDecoded(text), layers - 1);
  if (base64 >= BASE64_RUN) {
    const digits = text.replace(/[^A-Za-z0-9+/_-]+/g, '');
    // Text in front may shift the groups of four.
    for (let shift = 0; shift < 4; shift++)
      yield* decodedTexts(Buffer.from(digits.slice(shift), 'base64'), layers - 1);
  }
  if (hex >= HEX_RUN) {
    const digits = text.replace(/[^0-9A-Fa-f]+/g, '');
    for (let shift = 0; shift < 2; shift++)
      yield* decodedTexts(Buffer.from(digits.slice(shift), 'hex'), layers - 1);
  }
}

const IN_BASE64 = Uint8Array.from({ length: 128 }, (_, code) =>
  Number(/[A-Za-z0-9+/_-]/.test(String.fromCharCode(code))),
);
const IN_HEX = Uint8Array.from({ length: 128 }, (_, code) =>
  Number(/[0-9A-Fa-f]/.test(String.fromCharCode(code))),
);

/** One pass, because most texts are not encoded: the longest runs of digits, and whether other characters occur. */
function encodingOf(text: string): { ascii: boolean; percent: boolean; base64: number; hex: number } {
  let [ascii, percent, base64, hex, run, hexRun] = [true, false, 0, 0, 0, 0];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 127) ascii = false;
    else if (code === 37) percent = true;
    run = code < 128 && IN_BASE64[code] === 1 ? run + 1 : 0;
    hexRun = code < 128 && IN_HEX[code] === 1 ? hexRun + 1 : 0;
    if (run > base64) base64 = run;
    if (hexRun > hex) hex = hexRun;
  }
  return { ascii, percent, base64, hex };
}

function decodedTexts(bytes: Buffer, layers: number): Generator<string> | string[] {
  const text = bytes.toString('latin1');
  // Only printable text can hold a second layer.
  const isText = /^[\t\n\r -~]{20,}$/.test(text);
  return isText ? readings(text, layers) : [text];
}

function percentDecoded(text: string): string {
  return text.replace(/%([0-9A-Fa-f]{2})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}
