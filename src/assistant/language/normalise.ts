import { joinTokens, unifyReminderWords } from './join-tokens.ts';
import { correctSpelling, EXPANSIONS, NOT_SHORT, WITH_APOSTROPHE } from './spelling.ts';
import type { Message, Sentence, Token } from './token.ts';

/** Control, format and lone surrogate characters: invisible characters can neither hide a word nor form one. */
const INVISIBLE = /(?![\n\r\t])[\p{Cc}\p{Cf}\p{Cs}\p{Variation_Selector}]/gu;
const PIECE =
  /https?:\/\/[^\s"<>]*[^\s"<>.,!?;:)\]}]|->|=>|[\p{L}\p{M}\p{N}]+(?:['.:/&@_+-][\p{L}\p{M}\p{N}]+)*'?|\d+(?:,\d{3})+|[\n.!?;,:"()[\]{}–—→\-#+=/*✅✔✓☑👍👎❌]|\p{Extended_Pictographic}/gu;
const ENDS_SENTENCE = new Set(['.', '!', '?', ';', '\n']);
const BREAKS = new Set([',', '(', ')', '[', ']', '{', '}', '/', '*', '=']);
const ABBREVIATIONS = new Set('mr mrs ms dr st prof no vs etc approx appt a.m p.m e.g i.e'.split(' '));
const SIGNS = new Map([
  ['✅', 'emoji-yes'],
  ['✔', 'emoji-yes'],
  ['✓', 'emoji-yes'],
  ['☑', 'emoji-yes'],
  ['👍', 'emoji-yes'],
  ['👎', 'emoji-no'],
  ['❌', 'emoji-no'],
  ['+', '+'],
  ['#', '#'],
  [':', ':'],
  ['-', '-'],
  ['->', 'to'],
  ['=>', 'to'],
  ['→', 'to'],
  ['–', '-'],
  ['—', '-'],
]);

/** Splits a message into words, in linear time. */
export function normalise(message: string): Message {
  const visible = message
    .normalize('NFKC')
    .replace(INVISIBLE, '')
    .replace(/\r\n?/g, '\n')
    .replace(/\t/g, ' ');
  const straight = visible.replace(/[’‘ʼ´′]/g, "'").replace(/[“”„«»″]|''/g, '"');
  // In pairs they mark code; a single one is an apostrophe.
  const paired = straight.split('`').length % 2 === 1;
  const clean = paired ? straight : straight.replaceAll('`', "'");
  const body = clean.trim();
  const quoted = /^"[^"]+"[.!?]?$/.test(body);
  return { clean, quoted, sentences: sentencesOf(clean.replaceAll('`', "'"), quoted) };
}

/** State while reading the pieces of a message. */
interface Walk {
  sentences: Sentence[];
  current: Sentence;
  inQuotes: boolean;
  comma: boolean;
}

function sentencesOf(clean: string, ignoreQuotes: boolean): Sentence[] {
  const pieces = [...quoteWords(clean).matchAll(PIECE)];
  const quotes = pieces.filter(([text]) => text === '"').length;
  const walk: Walk = { sentences: [], current: fresh(), inQuotes: false, comma: false };
  let left = ignoreQuotes ? 0 : quotes - (quotes % 2);
  for (const piece of pieces) {
    if (piece[0] === '"') {
      if (left-- > 0) walk.inQuotes = !walk.inQuotes;
    } else if (ENDS_SENTENCE.has(piece[0])) {
      if (!walk.inQuotes) endSentence(walk, piece[0]);
    } else addPiece(walk, piece[0], piece.index);
  }
  endSentence(walk, '\n');
  return walk.sentences;
}

/** Single quotation marks around words become double ones; the lengths stay. */
function quoteWords(clean: string): string {
  return clean.replace(/(^|[\s(:,])'([^'\n]{2,200})'(?=$|[\s).,!?;:])/g, '$1"$2"');
}

function fresh(): Sentence {
  return { tokens: [], question: false };
}

function endSentence(walk: Walk, mark: string): void {
  const last = walk.current.tokens.at(-1);
  if (mark === '?') walk.current.question = true;
  if (mark === '.' && last && ABBREVIATIONS.has(last.word)) return;
  const tokens = unifyReminderWords(joinTokens(walk.current.tokens));
  if (tokens.length > 0) walk.sentences.push({ ...walk.current, tokens });
  if (walk.current.tokens.length > 0) walk.current = fresh();
  walk.comma = false;
}

/** Fast path: most pieces are plain words. */
const LETTERS = /^[A-Za-z]+$/;

function addPiece(walk: Walk, piece: string, start: number): void {
  if (LETTERS.test(piece)) return addWord(walk, piece, start);
  const sign = SIGNS.get(piece);
  if (BREAKS.has(piece)) walk.comma = true;
  else if (sign) pushToken(walk, [sign], { start, end: start + piece.length, corrected: false });
  else if (/^\p{Extended_Pictographic}$/u.test(piece)) walk.comma = true;
  else for (const part of splitRunOn(piece)) addWord(walk, part.text, start + part.at);
}

/** "Thanks.That" is two sentences with a missing space; "p.m" and "v1.2" are not. */
function splitRunOn(piece: string): Array<{ text: string; at: number }> {
  const counted = /^(task|todo)(\d{1,2})$/i.exec(piece);
  if (counted)
    return [
      { text: counted[1]!, at: 0 },
      { text: counted[2]!, at: counted[1]!.length },
    ];
  const match = /^(\p{L}{3,})([.:/])(\p{L}{3,})$/u.exec(piece);
  if (!match) return [{ text: piece, at: 0 }];
  return [
    { text: match[1]!, at: 0 },
    { text: match[3]!, at: match[1]!.length + 1 },
  ];
}

function addWord(walk: Walk, piece: string, start: number): void {
  const word = piece.toLowerCase().replace(/'$/, '');
  const words = walk.inQuotes ? [word] : expand(word);
  const corrected = words.length === 1 && words[0] !== word;
  pushToken(walk, words, { start, end: start + piece.length, corrected });
}

function expand(word: string): readonly string[] {
  const bare = word.replaceAll("'", '');
  const known =
    WITH_APOSTROPHE.get(word) ?? (bare === word && NOT_SHORT.has(word) ? undefined : EXPANSIONS.get(bare));
  return known ?? [correctSpelling(word)];
}

type Written = Pick<Token, 'start' | 'end' | 'corrected'>;
function pushToken(walk: Walk, words: readonly string[], { start, end, corrected }: Written): void {
  for (const word of words)
    walk.current.tokens.push({ word, start, end, quoted: walk.inQuotes, afterComma: walk.comma, corrected });
  walk.comma = false;
}
