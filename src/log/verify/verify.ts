import type { ActivityVerification } from '../../contract/activity.ts';
import type { ChainCheck } from './check-chain.ts';
import type { Problem } from './claim.ts';
import { lastEntryOf, openSealedReader, type SealedReader } from '../export/sealed-reader.ts';
import { unknownVerdict } from './report.ts';
import { readHeads, readWitnesses, verifyStore, type LogRow } from './verification.ts';
import { LogChanged, segmentedStore, type WalkHelper } from './verify-segments.ts';
import { verifyInThreads, type WriteAheadLog } from './verify-threads.ts';
import type { FileToVerify } from './verification.ts';
import type { WalkSource } from './verify-segment.ts';

/** Entries per slice; other work runs after each. */
const SLICE = 200;
/** A log with fewer entries is verified faster than a thread starts. */
const FEW = 20_000;

/** Does not block calls: a short log is read in slices, a long one in separate threads. */
export async function verifyLog(
  options: FileToVerify & { signal?: AbortSignal | undefined },
  wal?: WriteAheadLog,
): Promise<ActivityVerification> {
  return orUnknownVerdict(async () => {
    if (entriesIn(options.file) > FEW) return verifyInThreads(options, wal);
    return verifyInOneSnapshot(options);
  });
}

/** Reads one snapshot, which keeps the write-ahead log from being truncated meanwhile. */
export async function verifyInOneSnapshot(options: FileToVerify): Promise<ActivityVerification> {
  // Before the snapshot: the file is never ahead of the database.
  const [witnesses, heads] = [readWitnesses(options), readHeads(options)];
  return withReader(options.file, (reader) => {
    reader.hold();
    const store = {
      logs: async () => reader.logs(),
      walk: (log: LogRow, check: ChainCheck) => walk({ reader, signal: options.signal }, log, check),
      countRecords: async () => reader.countRecords(options.signal),
      hashAt: async ({ log }: LogRow, n: number) => reader.hashOf(log, n),
      lastEntry: async (log: LogRow) => lastEntryOf(reader, log),
      findUnsealed: async () => reader.findUnsealed(),
      findForeign: async () => reader.findForeign(),
      findWrongColumns: async () => reader.findWrongColumns(options.signal),
      countsAgree: async () => reader.countsAgree(),
    };
    return verifyStore(store, { ...options, heads }, witnesses);
  });
}

/** Retention in the same process waits for a verification; only that of another one can interfere again. */
const TRIES = 3;

/** Reads segment by segment; if retention interferes, again, and at last in one snapshot. */
export async function verifyInSegments(
  options: FileToVerify,
  helper: WalkHelper,
  size?: number,
): Promise<ActivityVerification> {
  for (let tries = 0; tries < TRIES; tries++) {
    const [witnesses, heads] = [readWitnesses(options), readHeads(options)];
    try {
      return await withReader(options.file, (reader) =>
        verifyStore(
          segmentedStore(reader, helper, { witnesses, signal: options.signal, ...(size && { size }) }),
          { ...options, heads },
          witnesses,
        ),
      );
    } catch (error) {
      if (!(error instanceof LogChanged)) throw error;
    }
  }
  return verifyInOneSnapshot(options);
}

/** If the database cannot be read, the verdict is unknown. */
export async function orUnknownVerdict(
  verify: () => Promise<ActivityVerification>,
): Promise<ActivityVerification> {
  try {
    return await verify();
  } catch (cause) {
    return unknownVerdict(`the log cannot be read: ${(cause as Error).message}`);
  }
}

async function withReader<T>(file: string, use: (reader: SealedReader) => Promise<T>): Promise<T> {
  const reader = openSealedReader(file);
  try {
    return await use(reader);
  } finally {
    reader.close();
  }
}

function entriesIn(file: string): number {
  const reader = openSealedReader(file);
  try {
    const kept = reader.logs().map(({ log, base }) => {
      const first = base === null ? 0 : (JSON.parse(base) as { n: number }).n;
      return (reader.ends().get(log) ?? 0) - first;
    });
    return kept.reduce((sum, n) => sum + n, 0);
  } finally {
    reader.close();
  }
}

async function walk(
  { reader, signal }: WalkSource,
  { log }: LogRow,
  check: ChainCheck,
): Promise<Problem | null> {
  // From before the first entry, so that entries in the dropped range are found too.
  for (let from = -1; ;) {
    const items = reader.items(log, { after: from, upTo: Infinity, limit: SLICE });
    for (const item of items) {
      const bad = check.take(item);
      if (bad) return bad;
    }
    if (items.length < SLICE) return null;
    from = items.at(-1)!.n;
    await new Promise(setImmediate);
    signal?.throwIfAborted();
  }
}
