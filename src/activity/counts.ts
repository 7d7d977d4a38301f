import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import type { Facet } from './facets.ts';
import { timeOfSeq } from './sequence.ts';

/** A stretch of the sequence for which records are counted per facet: at most an hour, at most this many records. */
const BUCKET_SIZE = 2048;
const BUCKET_MS = 3_600_000;

interface Delta {
  facet: Facet;
  bucket: number;
  n: number;
}

/** Counts that move in the same transaction as the records, in the database and, once committed, in memory. */
export interface Counts {
  /** A record enters a facet (`from` null), leaves the log (`to` null), or changes its facet. */
  move(seq: number, from: Facet | null, to: Facet | null): void;
  /** First sequence numbers of all buckets, ascending. */
  buckets(): readonly number[];
  /** Buckets that end before this sequence number hold nothing any more. */
  dropBucketsBefore(seq: number): void;
  beforeCommit(): void;
  committed(): void;
  rolledBack(): void;
}

export function createCounts(sqlite: DatabaseSyncInstance): Counts {
  const starts = loadBuckets(sqlite);
  const storedBuckets = new Set(starts);
  const statements = prepare(sqlite);
  const deltas = new Map<string, Delta>();
  let inLast = countFrom(sqlite, starts.at(-1));

  function bucketFor(seq: number): number {
    const last = starts.at(-1);
    if (last !== undefined && seq < last) return bucketBefore(starts, seq);
    if (last !== undefined && inLast < BUCKET_SIZE && hour(last) === hour(seq)) {
      inLast++;
      return last;
    }
    starts.push(seq);
    inLast = 1;
    return seq;
  }

  function add(facet: Facet, bucket: number, n: number): void {
    const key = `${facet.id} ${bucket}`;
    const delta = deltas.get(key);
    if (delta) delta.n += n;
    else deltas.set(key, { facet, bucket, n });
  }

  return {
    move(seq, from, to) {
      if (from === to) return;
      const bucket = from ? bucketBefore(starts, seq) : bucketFor(seq);
      if (from) add(from, bucket, -1);
      if (!to) return;
      add(to, bucket, 1);
      if (seq > to.lastSeq) to.lastSeq = seq;
    },
    buckets: () => starts,
    dropBucketsBefore(seq) {
      const kept = bucketBefore(starts, seq);
      statements.dropBuckets.run(kept);
      for (const dropped of starts.splice(0, starts.indexOf(kept))) storedBuckets.delete(dropped);
    },
    beforeCommit() {
      for (const { facet, bucket, n } of deltas.values()) {
        if (n === 0) continue;
        if (n > 0 && !storedBuckets.has(bucket)) statements.addBucket.run(bucket);
        statements.add.run(facet.id, bucket, n);
        if (n < 0) statements.dropEmpty.run(facet.id, bucket);
      }
    },
    committed() {
      for (const { facet, bucket, n } of deltas.values()) {
        facet.n += n;
        if (n > 0) storedBuckets.add(bucket);
      }
      deltas.clear();
    },
    rolledBack: () => deltas.clear(),
  };
}

const hour = (seq: number) => Math.floor(timeOfSeq(seq) / BUCKET_MS);

/** The bucket that a sequence number lies in; one before all others begins a bucket of its own. */
function bucketBefore(starts: number[], seq: number): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (starts[middle]! <= seq) low = middle + 1;
    else high = middle;
  }
  if (low === 0) starts.unshift(seq);
  return starts[Math.max(low - 1, 0)]!;
}

function loadBuckets(sqlite: DatabaseSyncInstance): number[] {
  const rows = sqlite.prepare('SELECT first_seq FROM activity_bucket ORDER BY first_seq').all();
  return (rows as Array<{ first_seq: number }>).map((row) => row.first_seq);
}

function countFrom(sqlite: DatabaseSyncInstance, seq: number | undefined): number {
  if (seq === undefined) return 0;
  const count = sqlite
    .prepare('SELECT count(*) AS n FROM (SELECT 1 FROM activity WHERE seq >= ? LIMIT ?)')
    .get(seq, BUCKET_SIZE);
  return (count as { n: number }).n;
}

function prepare(sqlite: DatabaseSyncInstance) {
  return {
    add: sqlite.prepare(
      'INSERT INTO activity_count VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET n = n + excluded.n',
    ),
    dropEmpty: sqlite.prepare('DELETE FROM activity_count WHERE facet_id = ? AND bucket = ? AND n <= 0'),
    addBucket: sqlite.prepare('INSERT OR IGNORE INTO activity_bucket VALUES (?)'),
    dropBuckets: sqlite.prepare('DELETE FROM activity_bucket WHERE first_seq < ?'),
  };
}
