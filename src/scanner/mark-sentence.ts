import { id } from './concepts.ts';
import { look, type OwnNames, type Seen } from './look-at-piece.ts';
import { readUnspaced, readWords } from './read-words.ts';

/** Where a text stands: what an argument is for, or something that is given as it is. */
export interface Where {
  slot?: boolean;
  value?: boolean;
}

/** Some words that are said by somebody else. */
const QUOTED = /(?<![\w'])['"“‘][^'"“”‘’\s]{1,40}(?: [^'"“”‘’\s]{1,40}){1,30}['"”’]/g;
const HAS_QUOTE = /['"“‘]/;
const DETECTS = id('ownDetect');
/** A tool that looks for attacks may say what they look like. */
const withoutQuotes = (pieces: readonly string[]) =>
  pieces.join(' ').replace(QUOTED, ' ').split(' ').filter(Boolean);
const LATIN = /^[\u0000-\u024f\u2000-\u206f]*$/;

/** What a sentence speaks of: concepts, each once. */
export function markSentence(pieces: readonly string[], own: OwnNames, place: Where = {}): number[] {
  const seen: Seen = { words: [], kinds: [] };
  const isQuoting = own.about.includes(DETECTS);
  for (const piece of isQuoting ? withoutQuotes(pieces) : pieces) look(piece, own, seen);
  const found = new Set(seen.kinds);
  const said = readWords(seen.words, found);
  const text = pieces.join(' ');
  if (!LATIN.test(text)) readUnspaced(text, found);
  if (HAS_QUOTE.test(text) && text.search(QUOTED) >= 0) found.add(id('quoted'));
  if (found.size === 0 && !said) return [];
  if (place.slot) found.add(id('slot'));
  if (place.value && pieces.length > 3) found.add(id('value'));
  for (const concept of own.about) found.add(concept);
  return [...found];
}
