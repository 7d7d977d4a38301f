import type { Sqlite } from '../../db/index.ts';
import type { Facet, Facets } from './facets.ts';
import type { Series } from './series.ts';
import { timeOfSeq } from '../record/sequence.ts';

/**
 * Ranges of the sequence for which records are counted per facet, in two sizes: a long time is the sum of a few large ones, and
 * small ones fill up the ends. A large one always begins where a small one does.
 */
export const LEVELS = [
  { level: 0, maxRecords: 2048, maxMs: 3_600_000 },
  { level: 1, maxRecords: 65_536, maxMs: 172_800_000 },
] as const;

/** Consecutive whole buckets of a level, by the first sequence numbers of the first and the last. */
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
  edges: SeqRange[];
}

export interface Buckets {
  /** The bucket of each level for a new record. */
  place(seq: number): number[];
  /** The bucket of each level that holds a record. */
  find(seq: number): number[];
  /** A range as whole buckets, and the edges that no bucket covers. Both ends inclusive. */
  cover(low: number, high: number): Cover;
  /** Start of the first small bucket at or after a sequence number. */
  firstFrom(seq: number): number | undefined;
  /** Drops buckets that end before a sequence number. Returns the first remaining one of each level. */
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
    if (level < 0) into.edges.push([low, high]);
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
      const cover: Cover = { runs: [], edges: [] };
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

/** Index of the first start at or after the number; the length if there is none. */
function firstAtOrAfter(starts: readonly number[], seq: number): number {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (starts[middle]! < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Start of the bucket that holds a number. A number before all buckets begins a new one. */
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

interface Delta {
  level: number;
  facet: Facet;
  bucket: number;
  n: number;
}

/** Follows changes of the counts. */
export interface CountWatcher {
  /** The committed count of a facet changed in a small bucket. */
  moved(facet: Facet, bucket: number, n: number): void;
  /** The counts were reloaded. */
  reset(): void;
}

/** Counts that change in the same transaction as the records: in the database and, after the commit, in memory. */
export interface Counts {
  /** A record enters a facet (`from` null), leaves the log (`to` null), or changes its facet. */
  move(record: { seq: number; ts: number }, from: Facet | null, to: Facet | null): void;
  /** Number of committed records. */
  records(): number;
  /** A range as whole buckets with counts, and the edges around them. */
  cover: Buckets['cover'];
  firstBucketFrom: Buckets['firstFrom'];
  watch(watcher: CountWatcher): void;
  /** Removes buckets that end before this sequence number. */
  dropBucketsBefore(seq: number): void;
  beforeCommit(): void;
  committed(): void;
  rolledBack(): void;
  reopened(): void;
}

export function createCounts(sqlite: Sqlite, series: Series, facets: Pick<Facets, 'all'>): Counts {
  let buckets = createBuckets(sqlite);
  const statements = prepare(sqlite);
  let records = heldBy(facets);
  /** Few per facet: the newest bucket of each level, and some of the oldest while retention runs. */
  const deltas = new Map<Facet, Delta[]>();
  const watchers: CountWatcher[] = [];

  function add(facet: Facet, places: number[], n: number): void {
    let own = deltas.get(facet);
    if (!own) deltas.set(facet, (own = []));
    for (let level = 0; level < places.length; level++) {
      const bucket = places[level]!;
      const delta = findDelta(own, level, bucket);
      if (delta) delta.n += n;
      else own.push({ level, facet, bucket, n });
    }
  }

  return {
    move({ seq, ts }, from, to) {
      if (from === to) return;
      series.move(ts, from, to);
      const places = from ? buckets.find(seq) : buckets.place(seq);
      if (from) add(from, places, -1);
      if (!to) return;
      add(to, places, 1);
      if (seq > to.lastSeq) to.lastSeq = seq;
    },
    records: () => records,
    cover: (low, high) => buckets.cover(low, high),
    firstBucketFrom: (seq) => buckets.firstFrom(seq),
    watch: (watcher) => void watchers.push(watcher),
    dropBucketsBefore(seq) {
      for (const [level, kept] of buckets.dropBefore(seq).entries()) statements.dropBuckets.run(level, kept);
    },
    beforeCommit() {
      series.beforeCommit();
      const seen = new Set<string>();
      for (const { level, facet, bucket, n } of [...deltas.values()].flat()) {
        if (n === 0) continue;
        statements.add.put(level, facet.id, bucket, n);
        if (n < 0) statements.dropEmpty.put(level, facet.id, bucket);
        else if (!seen.has(`${level} ${bucket}`)) statements.addBucket.put(level, bucket);
        seen.add(`${level} ${bucket}`);
      }
    },
    committed() {
      for (const { level, facet, bucket, n } of [...deltas.values()].flat()) {
        if (level !== 0) continue;
        facet.n += n;
        records += n;
        for (const watcher of watchers) watcher.moved(facet, bucket, n);
      }
      deltas.clear();
      series.committed();
    },
    rolledBack() {
      deltas.clear();
      series.rolledBack();
    },
    reopened() {
      buckets = createBuckets(sqlite);
      records = heldBy(facets);
      for (const watcher of watchers) watcher.reset();
    },
  };
}

function heldBy(facets: Pick<Facets, 'all'>): number {
  let sum = 0;
  for (const { n } of facets.all()) sum += n;
  return sum;
}

/** Searched from the newest, which nearly always matches. */
function findDelta(deltas: readonly Delta[], level: number, bucket: number): Delta | undefined {
  for (let i = deltas.length - 1; i >= 0; i--) {
    const delta = deltas[i]!;
    if (delta.bucket === bucket && delta.level === level) return delta;
  }
  return undefined;
}

function prepare(sqlite: Sqlite) {
  return {
    add: sqlite.prepare(
      'INSERT INTO activity_count VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET n = n + excluded.n',
    ),
    dropEmpty: sqlite.prepare(
      'DELETE FROM activity_count WHERE level = ? AND facet_id = ? AND bucket = ? AND n <= 0',
    ),
    addBucket: sqlite.prepare('INSERT OR IGNORE INTO activity_bucket VALUES (?, ?)'),
    dropBuckets: sqlite.prepare('DELETE FROM activity_bucket WHERE level = ? AND first_seq < ?'),
  };
}
