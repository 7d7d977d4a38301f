import {
  type LostEntries,
  type RecordKind,
  STATE,
  type Tombstone,
  recordDigest,
  recordState,
} from '../chain/hash-chain.ts';
import type { AcceptedGap, ActivityMetadata } from '../../contract/activity.ts';
import { type ActivityRow, type SealedFacet, otherOperations } from '../record/row.ts';

/** How a log differs from what was written. */
export type Reason =
  | 'hash'
  | 'gap'
  | 'order'
  | 'truncated'
  | 'bad signature'
  | 'row differs'
  | 'row missing'
  | 'row without entry'
  | 'derived value differs'
  | 'schema differs';

export interface Problem {
  log: string;
  entry: number;
  record: string | null;
  reason: Reason;
  message: string;
}

/** What an entry states about a record. */
export interface Claim {
  log: string;
  n: number;
  seq: number | null;
  kind: RecordKind;
  id: string;
  digest: unknown;
  /** The record is in a later state, so a later entry must confirm it. */
  later: boolean;
}

/** The parsed text of an entry, not validated. */
export interface ParsedEntry {
  n?: unknown;
  t?: unknown;
  k?: unknown;
  id?: unknown;
  digest?: unknown;
  head?: unknown;
  signature?: unknown;
  base?: Tombstone;
  lost?: LostEntries;
}

/** The format of entries about records. Read without JSON.parse, because there are millions of them. */
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

/** The claim of an entry about a record; null if the kind is unknown. */
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
 * `vouched`: the entry confirms the record. `later`: the record changed since, so a later entry must confirm it. `overtaken`: the same
 * for a record that was closed as recovered after a crash and then closed by its writer.
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
  if (!row) return problem('row missing', `record ${id} is missing, and retention did not remove it`);
  if (!facet) return problem('row differs', `record ${id} points at a facet that does not exist`);
  const [now, state] = [recordState(row, facet.status), STATE[kind]];
  if (row.id === id && row.seq === seq && now > state) return 'later';
  if (row.id !== id || now < state) return mismatchProblem(claim);
  if (recordDigest(row, facet) === digest)
    return hasItsOperations(row, facet)
      ? 'vouched'
      : problem(
          'derived value differs',
          `the facet of record ${id} gives it other operations than the record itself: filters by intent_type miss it or find it wrongly`,
        );
  return kind === 'recovered' ? 'overtaken' : mismatchProblem(claim);
}

/** The acceptance of a restore. One that was refused or failed has accepted nothing; one without an end may have. */
export function acceptedGap(row: ActivityRow, { type, status }: SealedFacet): AcceptedGap | undefined {
  if (type !== 'config_change' || !row.metadata.includes('"accept_restore"')) return undefined;
  const { action, missing_entries: missing, principal } = JSON.parse(row.metadata) as ActivityMetadata;
  if (action !== 'accept_restore' || !['success', 'pending', 'unknown'].includes(status)) return undefined;
  return {
    record: row.id,
    at: new Date(row.ts).toISOString(),
    by: typeof principal === 'string' ? principal : '?',
    missing: typeof missing === 'number' ? missing : missingByArguments(row),
  };
}

/** The ends of the logs that a restore has put in place, by the id of the log: the signature of this record's own log covers them too. */
export function restoredHeads(row: ActivityRow, { type }: SealedFacet): Array<[log: string, head: string]> {
  if (type !== 'config_change' || !row.metadata.includes('"log_heads"')) return [];
  const { action, log_heads: heads } = JSON.parse(row.metadata) as ActivityMetadata;
  if (!RESTORES.has(action) || typeof heads !== 'object' || heads === null) return [];
  return Object.entries(heads).filter((each): each is [string, string] => typeof each[1] === 'string');
}

const RESTORES = new Set<unknown>(['accept_restore', 'restore_backup']);

/** Records of earlier versions have the number in their arguments, which a redaction removes. */
function missingByArguments({ arguments: stored }: ActivityRow): number {
  const { missing } = (stored === null ? {} : JSON.parse(stored)) as { missing?: unknown };
  return typeof missing === 'number' ? missing : 0;
}

/** The digest does not cover the operations by variant and verdict in the facet, by which intent_type filters: they follow from the record. */
function hasItsOperations({ metadata }: ActivityRow, facet: SealedFacet): boolean {
  const stored = facet.other_operations ?? null;
  if (facet.type !== 'tool_call') return stored === null;
  return stored === otherOperations(facet, JSON.parse(metadata) as ActivityMetadata);
}
