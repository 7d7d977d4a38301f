import type { Sqlite } from '../../db/index.ts';
import { timeOfSeq } from '../record/sequence.ts';

/**
 * Stretches of the sequence for which records are counted per facet, in two sizes: many days are added up from a few large ones, and
 * small ones fill up to the ends. A large one always begins where a small one does.
 */
export const LEVELS = [
  { level: 0, maxRecords: 2048, maxMs: 3_600_000 },
  { level: 1, maxRecords: 65_536, maxMs: 172_800_000 },
] as const;

/** Whole buckets of a level, by the first sequence number of the first and of the last. */
export interface Run {
  level: number;
  first: number;
  last: number;
  buckets: number;
}

/** Sequence numbers, both ends inclusive. */
export type SeqRange = [low: number, high: number];

/** A range of the log as whole buckets, and the edges that no bucket covers. */
export interface Cover {
  runs: Run[];
  rims: SeqRange[];
}

export interface Buckets {
  /** The bucket of each level for a record that enters the log now. */
  place(seq: number): number[];
  /** The bucket of each level that holds a record. */
  find(seq: number): number[];
  /** A stretch as whole buckets, and the rims for which no bucket stands. Both ends inclusive. */
  cover(low: number, high: number): Cover;
  /** Where the first small bucket begins that does not begin before a number. */
  firstFrom(seq: number): number | undefined;
  /** Forgets buckets that end before a sequence number; gives the first one kept of each level. */
  dropBefore(seq: number): number[];
}

interface Level {
  level: number;
  maxRecords: number;
  maxMs: number;
  starts: number[];
  inLast: number;
}

export function createBuckets(sqlite: Sqlite): Buckets {
  const levels = LEVELS.map((limits) => loadLevel(sqlite, limits));

  function addCover(index: number, [low, high]: SeqRange, into: Cover): void {
    if (low > high) return;
    const { level, starts } = levels[index] ?? { level: -1, starts: [] };
    const endOf = (at: number) => (starts[at + 1] ?? Infinity) - 1;
    const first = firstAtOrAfter(starts, low);
    let last = starts.length - 1;
    while (last >= first && endOf(last) > high) last--;
    if (level < 0) into.rims.push([low, high]);
    else if (last < first) addCover(index - 1, [low, high], into);
    else {
      into.runs.push({ level, first: starts[first]!, last: starts[last]!, buckets: last - first + 1 });
      addCover(index - 1, [low, starts[first]! - 1], into);
      addCover(index - 1, [endOf(last) + 1, high], into);
    }
  }

  const find = (seq: number) => levels.map(({ starts }) => startBefore(starts, seq));

  return {
    find,
    place(seq) {
      const newest = levels[0]!.starts.at(-1);
      if (newest !== undefined && seq < newest) return find(seq);
      let due = false;
      for (let i = levels.length - 1; i >= 0; i--) {
        const level = levels[i]!;
        due ||= isFull(level, seq);
        if (due) level.starts.push(seq);
        level.inLast = due ? 1 : level.inLast + 1;
      }
      return levels.map(lastStart);
    },
    cover(low, high) {
      const cover: Cover = { runs: [], rims: [] };
      addCover(levels.length - 1, [low, high], cover);
      return cover;
    },
    firstFrom(seq) {
      const { starts } = levels[0]!;
      return starts[firstAtOrAfter(starts, seq)];
    },
    dropBefore: (seq) =>
      levels.map(({ starts }) => {
        const kept = startBefore(starts, seq);
        starts.splice(0, starts.indexOf(kept));
        return kept;
      }),
  };
}

const lastStart = ({ starts }: Level) => starts[starts.length - 1]!;

function isFull({ starts, inLast, maxRecords, maxMs }: Level, seq: number): boolean {
  const last = starts.at(-1);
  if (last === undefined || inLast >= maxRecords) return true;
  return Math.floor(timeOfSeq(last) / maxMs) !== Math.floor(timeOfSeq(seq) / maxMs);
}

/** Index of the first start that is not before the number; the length where there is none. */
function firstAtOrAfter(starts: readonly number[], seq: number): number {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (starts[middle]! < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The bucket that a number lies in; one before all others begins a bucket of its own. */
function startBefore(starts: number[], seq: number): number {
  const after = firstAtOrAfter(starts, seq);
  if (starts[after] === seq) return seq;
  if (after === 0) starts.unshift(seq);
  return starts[Math.max(after - 1, 0)]!;
}

function loadLevel(sqlite: Sqlite, limits: (typeof LEVELS)[number]): Level {
  const rows = sqlite
    .prepare('SELECT first_seq FROM activity_bucket WHERE level = ? ORDER BY first_seq')
    .all(limits.level);
  const starts = (rows as Array<{ first_seq: number }>).map((row) => row.first_seq);
  const count = sqlite.prepare(
    'SELECT count(*) AS n FROM (SELECT 1 FROM activity NOT INDEXED WHERE seq >= ? LIMIT ?)',
  );
  const last = starts.at(-1);
  return {
    ...limits,
    starts,
    inLast: last === undefined ? 0 : (count.get(last, limits.maxRecords) as { n: number }).n,
  };
}
