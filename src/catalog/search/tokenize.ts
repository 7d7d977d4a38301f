import { stemmer } from 'stemmer';

/** Words that do not help to find a tool: grammar, and the polite phrases of a request. */
const STOP_WORDS = new Set(
  (
    'a an the this that these those and or but nor if then else than as at by for from in into of off on onto out over per so to up via with ' +
    'within without about between during through across am is are was were be been being do does did doing done has have had having can could ' +
    'may might must shall should will would i me my mine we us our ours you your yours he him his she her hers it its they them their theirs ' +
    'what which who whom whose when where why how there here not no yes any all some such each every both other another own same too very just ' +
    'also only more most much many few please thanks thank hello hi hey ok okay want wants wanted need needs needed like liked help helps let ' +
    'lets know am im ive id ll ve re don doesn isn aren didn won'
  ).split(' '),
);

const MAX_TOKEN_LENGTH = 64;
const CACHE_SIZE = 50_000;

/** Maximal runs of letters, marks, digits and apostrophes; everything else separates. */
const WORD = /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}]+)*/gu;
/** Inside a run: ACRONYM before a Word, Word or word, ACRONYM, letters without case, digits. */
const PART = /\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|\p{Lu}+|[\p{Lo}\p{Lm}\p{Lt}\p{M}]+|\p{N}+/gu;
const WRITTEN_WITHOUT_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** One word: its parts as terms, and for a compound ("GitHub", "s3") also the whole as a term. */
export interface Word {
  parts: readonly string[];
  whole?: string;
}

const cache = new Map<string, Word>();

/** The terms of a text, stop words dropped, in order. A compound gives its parts and itself. */
export function tokenize(text: string): string[] {
  return termsOf(words(text));
}

export function termsOf(text: Iterable<Word>): string[] {
  const terms: string[] = [];
  for (const { parts, whole } of text) {
    for (const part of parts) terms.push(part);
    if (whole !== undefined) terms.push(whole);
  }
  return terms;
}

export function* words(text: string): Generator<Word> {
  for (const [run] of text.matchAll(WORD)) yield analysed(run);
}

/** Tools repeat their words, so each distinct word is analysed once. The cache is cleared when it is full. */
function analysed(run: string): Word {
  const key = run.slice(0, 4 * MAX_TOKEN_LENGTH);
  const known = cache.get(key);
  if (known) return known;
  const word = analyse(key);
  if (cache.size >= CACHE_SIZE) cache.clear();
  cache.set(key, word);
  return word;
}

function analyse(run: string): Word {
  const plain = withoutAccents(run.replace(/['’](s|S)$/, '').replace(/['’]/g, ''));
  const pieces = plain.match(PART) ?? [];
  const parts = pieces.flatMap(termsOfPiece);
  if (pieces.length < 2) return { parts };
  const whole = termsOfPiece(plain)[0];
  return whole === undefined ? { parts } : { parts, whole };
}

/** Accents of the Latin, Greek and Cyrillic scripts are often omitted when typing; marks of other scripts carry meaning and stay. */
function withoutAccents(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFKC');
}

function termsOfPiece(piece: string): string[] {
  const lower = piece.toLowerCase().slice(0, MAX_TOKEN_LENGTH);
  if (WRITTEN_WITHOUT_SPACES.test(lower)) return pairs(lower);
  if (STOP_WORDS.has(lower)) return [];
  return [/^[a-z]{3,}$/.test(lower) ? stemmer(lower) : lower];
}

/** Scripts without spaces are compared by overlapping pairs of characters. */
function pairs(text: string): string[] {
  const characters = Array.from(text);
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, i) => characters[i]! + character);
}

/** Adjacent words without stop words: "pull request". Terms have no spaces, so a pair is never confused with a word. */
export function wordPairs(text: Iterable<Word>): string[] {
  const pairs: string[] = [];
  let last: string | undefined;
  for (const { parts } of text)
    for (const part of parts) {
      if (last !== undefined) pairs.push(`${last} ${part}`);
      last = part;
    }
  return pairs;
}
