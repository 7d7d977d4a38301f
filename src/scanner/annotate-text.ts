import { id } from './concepts.ts';
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
  const found: Array<AnnotatedSentence & { concepts: number[] }> = [];
  for (const pieces of sentencesOf(text)) {
    if (found.length % SENTENCES_PER_STEP === SENTENCES_PER_STEP - 1) yield;
    found.push({ words: pieces.join(' '), concepts: sentenceConcepts(pieces, context), features: [] });
  }
  for (let at = 0; at < found.length; at++) {
    if (at % SENTENCES_PER_STEP === SENTENCES_PER_STEP - 1) yield;
    if (found[at]!.concepts.length === 0) continue;
    const around = bitsOf(found[at]!.concepts);
    for (const beside of [found[at - 1], found[at + 1]]) if (beside) addBits(around, beside.concepts);
    found[at]!.features = featuresOf(found[at]!.concepts, around, all);
  }
  return found;
}

/** Several words in quotation marks. */
const QUOTED = /(?<![\w'])['"“‘][^'"“”‘’\s]{1,40}(?: [^'"“”‘’\s]{1,40}){1,30}['"”’]/g;
const HAS_QUOTE = /['"“‘]/;
const DETECTS = id('ownDetect');
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
  if (!LATIN.test(text)) findUnspacedConcepts(text, found);
  if (HAS_QUOTE.test(text) && text.search(QUOTED) >= 0) found.add(id('quoted'));
  if (found.size === 0 && !hasPhrase) return [];
  addContext(found, context, pieces.length);
  return [...found];
}

function addContext(found: Set<number>, { own, isSlot, isValue }: TextContext, pieces: number): void {
  if (isSlot) found.add(id('slot'));
  if (isValue && pieces > 3) found.add(id('value'));
  for (const concept of own.about) found.add(concept);
}
