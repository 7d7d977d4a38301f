import { CONCEPTS, id, PHRASES, type Concept } from './concepts.ts';
import { CLAUSE_END } from './read-piece.ts';
import { UNSPACED } from './other-languages.ts';

const [NOT, USER, UNTOLD, SECRECY] = [id('not'), id('user'), id('untold'), id('secrecy')];
const [CONSENT, NEGATED, UNASKED] = [id('consent'), id('negated'), id('unasked')];
const ACTS = new Set((['read', 'give', 'send', 'use', 'alter', 'destroy'] as const).map(id));

/** Two concepts that make a third, where the second follows within `reach` words after the first. */
const COMBINATIONS = (
  [
    ['scope', 'each', 'tool', 4],
    ['scope', 'each', 'request', 2],
    ['setAside', 'ignore', 'earlier', 4],
    ['override', 'ignore', 'rules', 4],
    ['override', 'setAside', 'rules', 4],
    ['override', 'setAside', 'limits', 3],
    ['override', 'ignore', 'context', 4],
    ['notFollowed', 'not', 'follow', 3],
    ['noFollow', 'notFollowed', 'rules', 5],
    ['untold', 'not', 'tell', 4],
    ['secrecy', 'untold', 'user', 6],
    ['secrecy', 'untold', 'this', 3],
    ['secrecy', 'hide', 'user', 6],
    ['unasked', 'not', 'ask', 4],
    ['unasked', 'ignore', 'ask', 4],
    ['toUser', 'tell', 'user', 3],
    ['toUser', 'ask', 'user', 3],
    ['talks', 'whole', 'talk', 3],
    ['talks', 'each', 'talk', 2],
    ['talks', 'you', 'talk', 2],
    ['secrets', 'each', 'secret', 4],
    ['secrets', 'whole', 'secret', 5],
    ['secrets', 'user', 'secret', 4],
    ['secrets', 'read', 'secret', 6],
    ['taken', 'each', 'private', 4],
    ['taken', 'whole', 'private', 5],
    ['taken', 'user', 'private', 3],
  ] as const
).map(([makes, first, second, reach]) => ({ makes: id(makes), first: id(first), second: id(second), reach }));

const COMBINATIONS_ENDING_WITH = CONCEPTS.map((_, concept) =>
  COMBINATIONS.filter(({ second }) => second === concept),
);

/** Adds the concepts of the words, alone and in combination. Returns whether any phrase was known. */
export function findConcepts(words: readonly string[], found: Set<number>): boolean {
  const reader = new PhraseReader(found);
  for (let at = 0; at < words.length; at++) {
    if (words[at] === CLAUSE_END) reader.endClause();
    const phrase = PHRASES.get(words[at]!)?.find(({ rest }) => isNext(rest, words, at + 1));
    if (!phrase) continue;
    reader.read(phrase.means, at);
    at += phrase.rest.length;
  }
  return reader.finish();
}

class PhraseReader {
  readonly #found: Set<number>;
  /** The position where each concept was last met. */
  readonly #lastAt = new Map<number, number>();
  #firstUserAt: number | undefined;

  constructor(found: Set<number>) {
    this.#found = found;
  }

  endClause(): void {
    this.#lastAt.delete(NOT);
  }

  read(concepts: readonly number[], at: number): void {
    const isNegated = at - (this.#lastAt.get(NOT) ?? -9) <= 3;
    for (const concept of concepts) {
      this.#combine(concept, at);
      this.#found.add(isNegated ? negationOf(concept) : concept);
    }
    for (const concept of concepts) this.#lastAt.set(concept, at);
    if (concepts.includes(USER)) this.#firstUserAt ??= at;
  }

  finish(): boolean {
    // "The user must not know": the user is named before the secrecy.
    const distance = (this.#lastAt.get(UNTOLD) ?? -1) - (this.#firstUserAt ?? Infinity);
    if (distance > 0 && distance <= 9) this.#found.add(SECRECY);
    return this.#lastAt.size > 0;
  }

  #combine(second: number, at: number): void {
    for (const { makes, first, reach } of COMBINATIONS_ENDING_WITH[second]!) {
      if (at - (this.#lastAt.get(first) ?? -99) > reach) continue;
      this.#found.add(makes);
      this.#lastAt.set(makes, at);
    }
  }
}

function negationOf(concept: number): number {
  if (ACTS.has(concept)) return NEGATED;
  return concept === CONSENT ? UNASKED : concept;
}

function isNext(rest: readonly string[], words: readonly string[], at: number): boolean {
  for (let i = 0; i < rest.length; i++) if (words[at + i] !== rest[i]) return false;
  return true;
}

const UNSPACED_WORDS = Object.entries(UNSPACED).flatMap(([concept, list]) =>
  list
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => [word.replaceAll('_', ' '), id(concept as Concept)] as const),
);

/** For languages that put no spaces between words. */
export function findUnspacedConcepts(text: string, found: Set<number>): void {
  for (const [word, concept] of UNSPACED_WORDS)
    if (!found.has(concept) && text.includes(word)) found.add(concept);
}
