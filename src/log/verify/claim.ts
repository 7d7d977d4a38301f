import { type RecordKind, STATE, type Tombstone, recordDigest, recordState } from '../chain/hash-chain.ts';
import type { ActivityRow, SealedFacet } from '../record/row.ts';

/** Why a log is not what was written. */
export type Reason =
  | 'hash'
  | 'gap'
  | 'order'
  | 'truncated'
  | 'bad signature'
  | 'row differs'
  | 'row missing'
  | 'row without entry';

export interface Problem {
  log: string;
  entry: number;
  record: string | null;
  reason: Reason;
  message: string;
}

/** What an entry says of a record. */
export interface Claim {
  log: string;
  n: number;
  seq: number | null;
  kind: RecordKind;
  id: string;
  digest: unknown;
  /** The record was seen in a later state, so an entry further on must tell of that. */
  later: boolean;
}

/** What an entry of the chain says; nothing of it is believed yet. */
export interface ParsedEntry {
  n?: unknown;
  t?: unknown;
  k?: unknown;
  id?: unknown;
  digest?: unknown;
  head?: unknown;
  signature?: unknown;
  base?: Tombstone;
}

/** The form in which entries about records are written; read without the general parser, as there are millions of them. */
const RECORD = /^\{"n":(\d+),"t":(\d+),"k":"([a-z]+)","id":"([0-9A-Z]+)","digest":"([\w-]+)"\}$/;

export function readEntry(entry: string): ParsedEntry | null {
  const plain = RECORD.exec(entry);
  if (plain) return { n: Number(plain[1]), k: plain[3], id: plain[4], digest: plain[5] };
  try {
    return JSON.parse(entry) as ParsedEntry;
  } catch {
    return null;
  }
}

/** What an entry claims of a record; null where it is of no kind that is written about records. */
export function claimOf(
  log: string,
  { k, id, digest }: ParsedEntry,
  { n, seq }: { n: number; seq: number | null },
): Claim | null {
  if (typeof k !== 'string' || !Object.hasOwn(STATE, k)) return null;
  return { log, n, seq, kind: k as RecordKind, id: id as string, digest, later: false };
}

export function mismatchProblem({ log, n, id }: Claim): Problem {
  return {
    log,
    entry: n,
    record: id,
    reason: 'row differs',
    message: `record ${id} is not what was recorded`,
  };
}

export function earliest(problems: ReadonlyArray<Problem | null>): Problem | null {
  let first: Problem | null = null;
  for (const each of problems) if (each && (!first || each.entry < first.entry)) first = each;
  return first;
}

/**
 * `later`: the record has gone on since, so an entry further on must vouch for it. `overtaken`: the same of one that was closed after a
 * crash, and whose end came all the same.
 */
export function checkRecord(
  claim: Claim,
  row: ActivityRow | null,
  facet: SealedFacet | undefined,
): 'vouched' | 'later' | 'overtaken' | Problem {
  const { log, n, seq, kind, id, digest } = claim;
  const problem = (reason: Problem['reason'], message: string): Problem => ({
    log,
    entry: n,
    record: typeof id === 'string' ? id : null,
    reason,
    message,
  });
  if (!row) return problem('row missing', `record ${id} is gone, and retention did not drop it`);
  if (!facet) return problem('row differs', `record ${id} points at a facet that does not exist`);
  const [now, state] = [recordState(row, facet.status), STATE[kind]];
  if (row.id === id && row.seq === seq && now > state) return 'later';
  if (row.id !== id || now < state) return mismatchProblem(claim);
  if (recordDigest(row, facet) === digest) return 'vouched';
  return kind === 'recovered' ? 'overtaken' : mismatchProblem(claim);
}
