import type { Sqlite } from '../../db/index.ts';
import { createBuckets, type Buckets } from './buckets.ts';
import type { Facet, Facets } from './facets.ts';
import type { Series } from './series.ts';

interface Delta {
  level: number;
  facet: Facet;
  bucket: number;
  n: number;
}

/** Somebody who keeps sums of these counts. */
export interface CountWatcher {
  /** The committed count of a facet has changed in a small bucket. */
  moved(facet: Facet, bucket: number, n: number): void;
  /** The counts are others than those that were told of. */
  reset(): void;
}

/** Counts that move in the same transaction as the records, in the database and, once committed, in memory. */
export interface Counts {
  /** A record enters a facet (`from` null), leaves the log (`to` null), or changes its facet. */
  move(record: { seq: number; ts: number }, from: Facet | null, to: Facet | null): void;
  /** Committed records, all in all. */
  records(): number;
  /** A stretch as whole buckets, for which counts are kept, and the rims around them. */
  cover: Buckets['cover'];
  firstBucketFrom: Buckets['firstFrom'];
  watch(watcher: CountWatcher): void;
  /** Buckets that end before this sequence number hold nothing any more. */
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
  /** Few per facet: the newest bucket of each level, and where retention is at work some of the oldest. */
  const deltas = new Map<Facet, Delta[]>();
  const watchers: CountWatcher[] = [];

  function add(facet: Facet, places: number[], n: number): void {
    let own = deltas.get(facet);
    if (!own) deltas.set(facet, (own = []));
    for (let level = 0; level < places.length; level++) {
      const bucket = places[level]!;
      const delta = find(own, level, bucket);
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

/** From the newest, which is the one that is wanted nearly always. */
function find(deltas: readonly Delta[], level: number, bucket: number): Delta | undefined {
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
