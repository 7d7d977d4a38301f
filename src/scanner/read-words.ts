import { CONCEPTS, id, SAYINGS, type Concept } from './concepts.ts';
import { STOP } from './look-at-piece.ts';
import { UNSPACED } from './other-languages.ts';

const [NOT, USER, UNTOLD, SECRECY, CONSENT] = [
  id('not'),
  id('user'),
  id('untold'),
  id('secrecy'),
  id('consent'),
];
const ACTS = new Set((['read', 'give', 'send', 'use', 'alter', 'destroy'] as const).map(id));

/** Words that together say more: the second within so many words after the first. */
const TOGETHER = (
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

const ENDS_WITH = CONCEPTS.map((_, concept) => TOGETHER.filter(({ second }) => second === concept));

/** Marks what the words say, alone and together. Says whether there was anything. */
export function readWords(words: readonly string[], found: Set<number>): boolean {
  const last = new Map<number, number>();
  let firstUser: number | undefined;
  for (let at = 0; at < words.length; at++) {
    if (words[at] === STOP) last.delete(NOT);
    const saying = SAYINGS.get(words[at]!)?.find(({ rest }) => isNext(rest, words, at + 1));
    if (!saying) continue;
    const denied = at - (last.get(NOT) ?? -9) <= 3;
    for (const concept of saying.means) {
      for (const { makes, first, reach } of ENDS_WITH[concept]!)
        if (at - (last.get(first) ?? -99) <= reach) {
          found.add(makes);
          last.set(makes, at);
        }
      if (denied && ACTS.has(concept)) found.add(id('negated'));
      else if (denied && concept === CONSENT) found.add(id('unasked'));
      else found.add(concept);
    }
    for (const concept of saying.means) last.set(concept, at);
    if (saying.means.includes(USER)) firstUser ??= at;
    at += saying.rest.length;
  }
  // "The user must not know": said the other way round.
  const after = (last.get(UNTOLD) ?? -1) - (firstUser ?? Infinity);
  if (after > 0 && after <= 9) found.add(SECRECY);
  return last.size > 0;
}

function isNext(rest: readonly string[], words: readonly string[], at: number): boolean {
  for (let i = 0; i < rest.length; i++) if (words[at + i] !== rest[i]) return false;
  return true;
}

const LOOKED_FOR = Object.entries(UNSPACED).flatMap(([concept, list]) =>
  list
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => [word.replaceAll('_', ' '), id(concept as Concept)] as const),
);

export function readUnspaced(text: string, found: Set<number>): void {
  for (const [word, concept] of LOOKED_FOR)
    if (!found.has(concept) && text.includes(word)) found.add(concept);
}
