import { createChainCheck, startOf, type ChainProgress } from './check-chain.ts';
import { createClaims, type ClaimsPart } from './claims.ts';
import type { SealedReader } from '../export/sealed-reader.ts';
import type { Checkpoint, Tombstone } from '../chain/hash-chain.ts';
import { createSignatureCheck } from '../chain/signer.ts';
import type { StopSignal } from './stop.ts';
import type { LogRow } from './verification.ts';

/** A chain that several threads verify. Each takes the next segment until none is left. */
export interface SharedWalk {
  log: LogRow;
  keys: string[];
  witness: Checkpoint | undefined;
  /** The entries after `after`, up to `upTo`. */
  after: number;
  upTo: number;
  /** Entries per segment. */
  size: number;
  /** How many stretches are taken, and how many there are to take; shared between threads. */
  progress: Int32Array;
}

/** The result of a valid segment. */
export interface Segment {
  /** The hash before the segment. */
  before: string;
  seen: ChainProgress;
  claims: ClaimsPart;
}

/** Called for each segment; null if it is invalid or was changed meanwhile. */
export type OnSegment = (number: number, segment: Segment | null) => void;

const [TAKEN, ALL] = [0, 1];
/** Entries per read. Reads are short, so that the write-ahead log can be checkpointed between them. */
const SLICE = 500;

export function createSharedWalk(parts: Omit<SharedWalk, 'progress'>): SharedWalk {
  const progress = new Int32Array(new SharedArrayBuffer(8));
  progress[ALL] = segmentCount(parts);
  return { ...parts, progress };
}

export const segmentCount = ({ after, upTo, size }: Pick<SharedWalk, 'after' | 'upTo' | 'size'>) =>
  Math.ceil(Math.max(0, upTo - after) / size);

/** No more segments are taken. */
export function stopWalk({ progress }: SharedWalk): void {
  Atomics.store(progress, ALL, 0);
}

/** Where the entries come from; reading ends when the signal is aborted. */
export interface WalkSource {
  reader: SealedReader;
  signal: StopSignal | undefined;
}

/** Takes the number of the next segment; null if there is none. */
function take({ progress }: SharedWalk): number | null {
  const number = Atomics.add(progress, TAKEN, 1);
  return number < Atomics.load(progress, ALL) ? number : null;
}

/** Verifies the next segment; false if there is none. An invalid one stops the whole walk. */
export function verifyNextSegment(source: WalkSource, walk: SharedWalk, tell: OnSegment): boolean {
  const number = take(walk);
  if (number === null) return false;
  const segment = checkSegment(source, walk, number);
  if (!segment) stopWalk(walk);
  tell(number, segment);
  return true;
}

function checkSegment({ reader, signal }: WalkSource, walk: SharedWalk, number: number): Segment | null {
  const { log, keys, witness, after, upTo, size } = walk;
  const [from, to] = [after + number * size, Math.min(upTo, after + (number + 1) * size)];
  const base = log.base === null ? null : (JSON.parse(log.base) as Tombstone);
  const start = startOf(log, base);
  const before = from === start.n ? start.head : reader.hashOf(log.log, from);
  if (typeof before !== 'string') return null;
  const signatures = keys.map(createSignatureCheck);
  const claims = createClaims({ collect: true });
  const check = createChainCheck({
    logId: log.log_id,
    isSigned: (text, signature) => signatures.some((isSigned) => isSigned(text, signature)),
    base,
    start: { n: from, head: before },
    witness,
    claims,
  });
  while (check.seen.n < to) {
    signal?.throwIfAborted();
    signal?.betweenReads?.();
    // The first segment is read from the very beginning, so that entries in the dropped range are found too.
    const last = number === 0 && check.seen.n === from ? -1 : check.seen.n;
    const items = reader.items(log.log, { after: last, upTo: to, limit: SLICE });
    if (items.length === 0 || items.some((item) => check.take(item) !== null)) return null;
  }
  return { before, seen: check.seen, claims: claims.part() };
}
