import { id } from './concepts.ts';
import type { OrderReader } from './orders/read-orders.ts';
import { PieceReader, type OwnNames } from './read-piece.ts';
import { addBits, bitsOf, featuresOf } from './score.ts';
import { sentencesOf } from './sentences.ts';
import { findConcepts, findUnspacedConcepts } from './word-concepts.ts';

/** The text of a definition belongs to a tool, and has a place in its definition. */
export interface TextContext {
  own: OwnNames;
  /** It describes an argument. */
  isSlot: boolean;
  /** It is a given value, such as a default. */
  isValue: boolean;
  /** Reads the orders in the same words. */
  orders?: OrderReader;
}

/** A sentence with all features that count for or against it. */
export interface AnnotatedSentence {
  words: string;
  features: number[];
}

/** Sentences processed between two pauses. */
export const SENTENCES_PER_STEP = 40;

/** The sentences of a text, each with the features of itself and its neighbours. `all`: also features without a weight, for training. */
export function* annotateText(
  text: string,
  context: TextContext,
  all = false,
): Generator<void, AnnotatedSentence[]> {
  const found = yield* readSentences(text, context);
  for (let at = 0; at < found.length; at++) {
    if (at % SENTENCES_PER_STEP === SENTENCES_PER_STEP - 1) yield;
    if (found[at]!.concepts.length === 0) continue;
    const around = bitsOf(found[at]!.concepts);
    for (const beside of [found[at - 1], found[at + 1]]) if (beside) addBits(around, beside.concepts);
    found[at]!.features = featuresOf(found[at]!.concepts, around, all);
  }
  return found;
}

type ReadSentence = AnnotatedSentence & { concepts: number[] };

function* readSentences(text: string, context: TextContext): Generator<void, ReadSentence[]> {
  const found: ReadSentence[] = [];
  for (const pieces of sentencesOf(text)) {
    if (found.length % SENTENCES_PER_STEP === SENTENCES_PER_STEP - 1) yield;
    // The last sentence of a text may go on in the next text.
    if (found.length > 0) context.orders?.endSentence();
    found.push({ words: pieces.join(' '), concepts: sentenceConcepts(pieces, context), features: [] });
  }
  if (ENDED.test(text)) context.orders?.endSentence();
  return found;
}

const ENDED = /[.!?]\s*$/;

/** Several words in quotation marks. */
const QUOTED = /(?<![\w'])['"“‘][^'"“”‘’\s]{1,40}(?: [^'"“”‘’\s]{1,40}){1,30}['"”’]/g;
const HAS_QUOTE = /['"“‘]/;
const isQuoted = (text: string) => HAS_QUOTE.test(text) && text.search(QUOTED) >= 0;
const DETECTS = id('ownDetect');
const DETECT = id('detect');
/** A tool that detects attacks may quote them. */
const withoutQuotes = (pieces: readonly string[]) =>
  pieces.join(' ').replace(QUOTED, ' ').split(' ').filter(Boolean);
const LATIN = /^[\u0000-\u024f\u2000-\u206f]*$/;

/** The concepts of a sentence, each once. */
function sentenceConcepts(pieces: readonly string[], context: TextContext): number[] {
  const { own } = context;
  const reader = new PieceReader(own);
  for (const piece of own.about.includes(DETECTS) ? withoutQuotes(pieces) : pieces) reader.read(piece);
  const found = new Set(reader.concepts);
  const hasPhrase = findConcepts(reader.words, found);
  const text = pieces.join(' ');
  // Who warns of attacks may quote them.
  if (context.orders && !(found.has(DETECT) && isQuoted(text)))
    context.orders.read(spokenWords(pieces, reader, own));
  if (!LATIN.test(text)) findUnspacedConcepts(text, found);
  if (isQuoted(text)) found.add(id('quoted'));
  if (found.size === 0 && !hasPhrase) return [];
  addContext(found, context, pieces.length);
  return [...found];
}

/** The name of a setting, such as `ignore_rules`. One of more words may be a sentence in disguise. */
const SETTING = /^[`"'(]?[a-z]{2,20}_[a-z]{2,20}[`"'),.:;=]*$/i;

/** All words but those of such names. */
function spokenWords(pieces: readonly string[], all: PieceReader, own: OwnNames): readonly string[] {
  if (!pieces.some((piece) => SETTING.test(piece))) return all.words;
  const reader = new PieceReader(own);
  for (const piece of pieces) if (!SETTING.test(piece)) reader.read(piece);
  return reader.words;
}

function addContext(found: Set<number>, { own, isSlot, isValue }: TextContext, pieces: number): void {
  if (isSlot) found.add(id('slot'));
  if (isValue && pieces > 3) found.add(id('value'));
  for (const concept of own.about) found.add(concept);
}
