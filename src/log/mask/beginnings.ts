import { NAME_PARTS } from './secret-words.ts';
import { INNER_RULES } from './vendor/inner-rules.ts';
import { VENDOR_RULES } from './vendor/rules.ts';

/** How a secret, the name of one, or what stands within one begins. */
interface Beginning {
  /** In lower case, where the case does not matter. */
  letters: string;
  isExact: boolean;
  what: Begun;
}

type Begun = 'address' | 'private-key' | 'web-token' | 'imitated-mark' | 'name' | 'user' | 'vendor' | 'inner';

export interface Trigger {
  at: number;
  /** Behind the beginning. */
  end: number;
  what: Begun;
  /** The characters as the list below has them. */
  letters: string;
}

// One look per character: the low five bits of three characters in a row are the place in a table, whatever their case. Where something may
// begin, the first two characters are looked up as they are.
const PLACES = 1 << 15;
const MASK = PLACES - 1;
const ASCII = 128;

/** A search for any of many beginnings. Where several begin at one place, the first of the list that is there comes first. */
function createFinder(list: readonly Beginning[]) {
  const buckets: Beginning[][] = [[]];
  const bucketAt = new Uint16Array(PLACES);
  const pairs = new Uint8Array(ASCII * ASCII);
  for (const beginning of list) {
    for (const place of placesOf(beginning.letters)) add(place, beginning);
    for (const pair of pairsOf(beginning)) pairs[pair] = 1;
  }

  function add(place: number, beginning: Beginning): void {
    if (bucketAt[place] === 0) bucketAt[place] = buckets.push([]) - 1;
    buckets[bucketAt[place]!]!.push(beginning);
  }

  /** All that begins at a place. */
  function allAt(text: string, at: number): Trigger[] {
    const place = placeOf(text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2));
    const found = buckets[bucketAt[place]!]!.filter((beginning) => isAt(text, at, beginning));
    return found.map(({ letters, what }) => ({ at, end: at + letters.length, what, letters }));
  }

  /** The first place from `from` on and before `until` where something begins; -1 where there is none. */
  function next(text: string, from: number, until = Infinity): number {
    const end = Math.min(text.length - 2, until);
    if (from >= end) return -1;
    let second = text.charCodeAt(from);
    let third = text.charCodeAt(from + 1);
    let place = ((second & 31) << 5) | (third & 31);
    for (let i = from; i < end; i++) {
      const first = second;
      second = third;
      third = text.charCodeAt(i + 2);
      place = ((place << 5) | (third & 31)) & MASK;
      const bucket = bucketAt[place]!;
      if (bucket !== 0 && pairs[(first << 7) | second] === 1 && isAny(text, i, buckets[bucket]!)) return i;
    }
    return -1;
  }

  return { next, allAt };
}

function isAny(text: string, at: number, beginnings: readonly Beginning[]): boolean {
  for (const beginning of beginnings) if (isAt(text, at, beginning)) return true;
  return false;
}

function isAt(text: string, at: number, { letters, isExact }: Beginning): boolean {
  if (isExact) return text.startsWith(letters, at);
  for (let i = 0; i < letters.length; i++) {
    const code = text.charCodeAt(at + i);
    const folded = code >= 0x41 && code <= 0x5a ? code | 0x20 : code;
    if (folded !== letters.charCodeAt(i)) return false;
  }
  return true;
}

const placeOf = (a: number, b: number, c: number) => ((a & 31) << 10) | ((b & 31) << 5) | (c & 31);

/** Two characters can go on in any way. */
function placesOf(letters: string): number[] {
  const [a, b, c] = [0, 1, 2].map((i) => letters.charCodeAt(i)) as [number, number, number];
  if (letters.length > 2) return [placeOf(a, b, c)];
  return Array.from({ length: 32 }, (_, third) => placeOf(a, b, third));
}

function pairsOf({ letters, isExact }: Beginning): number[] {
  const inCases = (at: number) =>
    isExact ? [letters[at]!] : [letters[at]!.toLowerCase(), letters[at]!.toUpperCase()];
  const pair = (a: string, b: string) => (a.charCodeAt(0) << 7) | b.charCodeAt(0);
  return inCases(0).flatMap((a) => inCases(1).map((b) => pair(a, b)));
}

const exact =
  (what: Begun) =>
  (letters: string): Beginning => ({ letters, isExact: true, what });
const inAnyCase =
  (what: Begun) =>
  (letters: string): Beginning => ({ letters, isExact: false, what });

const VENDORS = [...new Map(VENDOR_RULES.map((rule) => [rule.prefix, rule])).values()].map((rule) =>
  (rule.keepPrefix ? inAnyCase : exact)('vendor')(rule.prefix),
);

/** All that a search looks for. At one place, tokens come before names. */
const BEGINNINGS: readonly Beginning[] = [
  inAnyCase('private-key')('-----begin '),
  exact('imitated-mark')('***['),
  ...VENDORS,
  exact('web-token')('eyJ'),
  ...INNER_RULES.map(({ anchor }) => exact('inner')(anchor)),
  exact('address')('://'),
  ...[' -u ', '--user ', '--user='].map(exact('user')),
  ...NAME_PARTS.map(inAnyCase('name')),
];

const finder = createFinder(BEGINNINGS);

export const nextBeginning = finder.next;
export const beginningsAt = finder.allAt;

/** Also right for JSON text, as none of these beginnings is ever escaped. */
export const mayHoldSecret = (text: string): boolean => nextBeginning(text, 0) >= 0;
