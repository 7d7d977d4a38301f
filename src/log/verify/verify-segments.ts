import type { ChainCheck } from './check-chain.ts';
import { type Problem, checkRecord } from './claim.ts';
import { lastEntryOf, type SealedReader } from '../export/sealed-reader.ts';
import type { Checkpoint } from '../chain/hash-chain.ts';
import type { StopSignal } from './stop.ts';
import type { LogRow, SealedStore } from './verification.ts';
import {
  segmentCount,
  stopWalk,
  createSharedWalk,
  verifyNextSegment,
  type OnSegment,
  type SharedWalk,
  type Segment,
} from './verify-segment.ts';

/** Somebody else who takes stretches of a walk, and is done when none is left. */
export interface WalkHelper {
  help(walk: SharedWalk, tell: OnSegment): Promise<void>;
}

/** Retention removed entries while the log was read, so the problem found may be its effect. */
export class LogChanged extends Error {}

export const SEGMENT_SIZE = 4096;
const SLICE = 500;

/**
 * Reads a log segment by segment while it is written to. Each segment is a short read, so the database can checkpoint its write-ahead log,
 * and several threads share the work.
 *
 * Why the result equals that of one read transaction: entries are only appended, and each is read together with its record, in one state
 * of the database. A segment is checked from the hash that is stored before it; the check of the segment before proves that hash. A record
 * that has changed since its entry was written has a later entry, which is read later. Entries appended meanwhile are read at the end, in
 * one state, together with the number of records. There, records that no entry has closed must still be open, records without a payload
 * must have an entry that says so, and every record must have an entry that opens it.
 *
 * When a segment is not intact, its entries are checked one by one from the last good one, to report the first bad one. Only retention
 * removes entries. It changes the signed beginning of its log: then `LogChanged` is thrown, and the caller repeats the check in one read
 * transaction.
 */
export function segmentedStore(
  reader: SealedReader,
  helper: WalkHelper,
  parts: { witnesses: Map<string, Checkpoint>; size?: number; signal?: StopSignal | undefined },
): SealedStore {
  const { signal } = parts;
  const logs = reader.logs();
  const ends = reader.ends();
  const keys = logs.map((log) => log.public_key);
  const walked: Array<{ log: LogRow; check: ChainCheck }> = [];
  let isHolding = false;

  const requireUnmoved = () => {
    if (moved(logs, reader.logs())) throw new LogChanged();
  };

  /** Checks entry by entry, up to the end or the first problem. */
  function takeRest({ log }: LogRow, check: ChainCheck): Problem | null {
    // From before the first entry, so that entries in the dropped range are found too.
    for (let from = check.seen.entries === 0 ? -1 : check.seen.n; ;) {
      const items = reader.items(log, { after: from, upTo: Infinity, limit: SLICE });
      for (const item of items) {
        const problem = check.take(item);
        if (problem) return problem;
      }
      if (items.length < SLICE) return null;
      from = items.at(-1)!.n;
      signal?.throwIfAborted();
      if (!isHolding) signal?.betweenReads?.();
    }
  }

  /** What was appended since reading began. Where there is much, all but the end is read before the snapshot, which must be short. */
  function takeAppended(): Problem | null {
    for (const { log, check } of walked) {
      const problem = takeRest(log, check);
      if (problem) return problem;
    }
    return null;
  }

  /** Finishes in one snapshot of the database. */
  function finish(): Problem | null {
    const before = takeAppended();
    reader.hold();
    isHolding = true;
    requireUnmoved();
    const appended = before ?? takeAppended();
    if (appended) return appended;
    const { claims, seen } = walked.at(-1)!.check;
    for (const claim of claims.open()) {
      const { row, facet } = reader.record(claim.seq);
      const found = checkRecord(claim, row, facet);
      if (typeof found !== 'string') return found;
      claim.later = found === 'later';
    }
    const endOf = new Map(logs.map(({ log, log_id: id }) => [id, ends.get(log) ?? 0]));
    for (const { check } of walked) check.seen.records = 0;
    seen.records = claims.count(({ log, n }) => n > endOf.get(log)!);
    return null;
  }

  return {
    logs: async () => logs,
    async walk(log, check) {
      const witness = parts.witnesses.get(log.log_id);
      const { size = SEGMENT_SIZE } = parts;
      const walk = createSharedWalk({
        log,
        keys,
        witness,
        after: check.seen.n,
        upTo: ends.get(log.log) ?? 0,
        size,
      });
      if (!(await walkTogether(reader, helper, { walk, check, signal }))) {
        const problem = takeRest(log, check);
        requireUnmoved();
        if (problem) return problem;
        // A segment may begin among entries that the database has lost. Else the problem has disappeared: the log is changed while it is read.
        if (check.seen.lost.length === 0) throw new LogChanged();
      }
      walked.push({ log, check });
      return walked.length === logs.length ? finish() : null;
    },
    countRecords: async () => reader.countRecords(signal),
    hashAt: async ({ log }, n) => reader.hashOf(log, n),
    lastEntry: async (log) => lastEntryOf(reader, log),
    findUnsealed: async () => reader.findUnsealed(),
    findForeign: async () => reader.findForeign(),
    findWrongColumns: async () => reader.findWrongColumns(signal),
    countsAgree: async () => reader.countsAgree(),
  };
}

/** True when all segments are intact and each begins where the one before ends. `check` has then advanced over all of them. */
async function walkTogether(
  reader: SealedReader,
  helper: WalkHelper,
  { walk, check, signal }: { walk: SharedWalk; check: ChainCheck; signal: StopSignal | undefined },
): Promise<boolean> {
  const waiting = new Map<number, Segment>();
  let next = 0;
  const tell: OnSegment = (number, segment) => {
    if (segment) waiting.set(number, segment);
    for (let ready = waiting.get(next); ready; ready = waiting.get(next)) {
      if (ready.before !== check.seen.head) return stopWalk(walk);
      waiting.delete(next++);
      check.advance(ready.seen);
      check.claims.merge(ready.claims);
    }
  };
  const helped = helper.help(walk, tell);
  helped.catch(() => {}); // awaited below
  while (verifyNextSegment({ reader, signal }, walk, tell)) await new Promise(setImmediate);
  await helped;
  return next === segmentCount(walk);
}

function moved(before: readonly LogRow[], now: readonly LogRow[]): boolean {
  const beginnings = (logs: readonly LogRow[]) => JSON.stringify(logs.map(({ log, base }) => [log, base]));
  return beginnings(before) !== beginnings(now);
}
