import { randomBytes } from 'node:crypto';

/**
 * The order of records: milliseconds × 1024 plus a running number, so a time range is a range of sequence numbers. It never decreases,
 * even if the clock does: then it is ahead of the clock by the `skew`, and time ranges are widened by the largest skew.
 */
export const PER_MS = 1024;

export const firstSeqAt = (ms: number): number => ms * PER_MS;
export const timeOfSeq = (seq: number): number => Math.floor(seq / PER_MS);

export interface Sequence {
  next(now: number): number;
  /** The largest skew so far. */
  readonly maxSkew: number;
}

export function createSequence(start: { last: number; maxSkew: number }): Sequence {
  let { last, maxSkew } = start;
  return {
    next(now) {
      last = Math.max(last + 1, firstSeqAt(now));
      const skew = timeOfSeq(last) - now;
      if (skew > maxSkew) maxSkew = skew;
      return last;
    },
    get maxSkew() {
      return maxSkew;
    },
  };
}

const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_LENGTH = 10;
const RANDOM_LENGTH = 14;

/** A ULID whose first 12 letters encode the sequence number, so no index on ids is needed. */
export function idOfSeq(seq: number): string {
  const running = seq % PER_MS;
  return timeLetters(timeOfSeq(seq)) + LETTERS[running >> 5]! + LETTERS[running & 31]! + randomLetters();
}

const newest = { time: -1, letters: '' };

/** Many records share a millisecond. */
function timeLetters(time: number): string {
  if (newest.time !== time) Object.assign(newest, { time, letters: letters(time, TIME_LENGTH) });
  return newest.letters;
}

/** Null if the text is not an id. */
export function seqOfId(id: string): number | null {
  if (id.length !== TIME_LENGTH + 2 + RANDOM_LENGTH) return null;
  let seq = 0;
  for (let i = 0; i < id.length; i++) {
    const value = LETTERS.indexOf(id[i]!);
    if (value < 0) return null;
    if (i < TIME_LENGTH + 2) seq = seq * 32 + value;
  }
  return Number.isSafeInteger(seq) ? seq : null;
}

function letters(value: number, length: number): string {
  let text = '';
  let rest = value;
  for (let i = 0; i < length; i++) {
    text = LETTERS[rest % 32]! + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

let pool = '';
let used = 0;

function randomLetters(): string {
  if (used === pool.length) {
    const bytes = randomBytes(RANDOM_LENGTH * 256);
    for (let i = 0; i < bytes.length; i++) bytes[i] = LETTERS.charCodeAt(bytes[i]! & 31);
    pool = bytes.toString('latin1');
    used = 0;
  }
  used += RANDOM_LENGTH;
  return pool.slice(used - RANDOM_LENGTH, used);
}
