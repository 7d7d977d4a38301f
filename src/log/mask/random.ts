import { DIGIT, HEX, LOWER_CASE, UPPER_CASE, isIn } from './characters.ts';
import { isPlaceholder } from './placeholder.ts';

const SHORTEST = 16;
export const LONGEST = 400;
const UUID = /^[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$/;
const SHORTEST_HEX = 24;
/** Names and versions have their digits at the end of a word. */
const EMBEDDED_DIGIT = /[A-Za-z][0-9]+[A-Za-z]/;
/** How many neighbours must differ in their class (lower case, upper case, digit, other): words and numbers have long runs of one. */
const LEAST_CHANGES = 0.15;

/** How sure it is that a run of characters was drawn at random: `mixed` hardly occurs otherwise; `hex` may be a checksum, too. */
export type Randomness = 'mixed' | 'plain' | 'hex' | null;

/** Whether a run of the characters of tokens looks as if a machine had drawn it. Identifiers of code, words and UUIDs do not. */
export function randomness(text: string): Randomness {
  if (text.length < SHORTEST || text.length > LONGEST || UUID.test(text) || isPlaceholder(text)) return null;
  const seen = count(text);
  if (seen.digits === 0 || seen.digits === text.length) return null;
  if (seen.hex === text.length) return text.length >= SHORTEST_HEX ? 'hex' : null;
  if (!isIrregular(text, seen)) return null;
  return seen.lower > 0 && seen.upper > 0 ? 'mixed' : 'plain';
}

function isIrregular(text: string, { changes, others }: { changes: number; others: number }): boolean {
  return changes >= LEAST_CHANGES * text.length && others <= text.length / 6 && EMBEDDED_DIGIT.test(text);
}

function count(text: string) {
  const seen = { lower: 0, upper: 0, digits: 0, others: 0, hex: 0, changes: 0 };
  let last = -1;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const kind = kindOf(code);
    if (kind === 0) seen.lower++;
    else if (kind === 1) seen.upper++;
    else if (kind === 2) seen.digits++;
    else seen.others++;
    if (isIn(HEX, code)) seen.hex++;
    if (kind !== last && last >= 0) seen.changes++;
    last = kind;
  }
  return seen;
}

function kindOf(code: number): number {
  if (isIn(LOWER_CASE, code)) return 0;
  if (isIn(UPPER_CASE, code)) return 1;
  return isIn(DIGIT, code) ? 2 : 3;
}

/** The fingerprint of a public key is written in capitals. */
const FINGERPRINT = /^[0-9A-F]{40}$/;

/** Whether a value under a name such as "key" was drawn at random. */
export const isRandomKey = (value: string): boolean => randomness(value) !== null && !FINGERPRINT.test(value);
