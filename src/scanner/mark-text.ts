import type { OwnNames } from './look-at-piece.ts';
import { markSentence, type Where } from './mark-sentence.ts';
import { sentencesOf } from './sentences.ts';
import { addBits, bitsOf, featuresOf } from './weigh.ts';

/** A sentence with all that counts for or against it. */
export interface Marked {
  words: string;
  features: number[];
}

/** Sentences between two breaths. */
export const AT_ONCE = 40;

/** The sentences of a text, each with what it says together with those beside it. */
export function* markText(
  shown: string,
  own: OwnNames,
  where: Where,
  all = false,
): Generator<void, Marked[]> {
  const found: Array<Marked & { concepts: number[] }> = [];
  for (const pieces of sentencesOf(shown)) {
    if (found.length % AT_ONCE === AT_ONCE - 1) yield;
    found.push({
      words: pieces.join(' '),
      concepts: markSentence(pieces, own, where),
      features: [],
    });
  }
  for (let at = 0; at < found.length; at++) {
    if (at % AT_ONCE === AT_ONCE - 1) yield;
    if (found[at]!.concepts.length === 0) continue;
    const around = bitsOf(found[at]!.concepts);
    for (const beside of [found[at - 1], found[at + 1]]) if (beside) addBits(around, beside.concepts);
    found[at]!.features = featuresOf(found[at]!.concepts, around, all);
  }
  return found;
}
