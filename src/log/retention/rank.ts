import type { Config } from '../../contract/config.ts';
import type { FacetKey } from '../record/row.ts';
import { firstSeqAt } from '../record/sequence.ts';

/** What goes first when the log is too large: a lower rank before a higher one. */
export const RANK = {
  /** Reads, searches, connections to servers. */
  noise: 0,
  /** Changes that were refused and did not run; requests that never became a call. */
  refused: 1,
  /** Changes that ran or may have run, approvals, decisions, configuration, findings. */
  evidence: 2,
} as const;
export type Rank = (typeof RANK)[keyof typeof RANK];

/** What changes nothing at a server. */
const NOISE = new Set<string>([
  'discovery',
  'server_change',
  'prompt_get',
  'resource_read',
  'resource_subscribe',
  'completion',
]);

type Kind = Pick<FacetKey, 'type' | 'status' | 'operation_type'>;

export function rankOf({ type, status, operation_type: operation }: Kind): Rank {
  if (NOISE.has(type)) return RANK.noise;
  if (type === 'bad_request') return RANK.refused;
  if (type !== 'tool_call') return RANK.evidence;
  if (operation === null || operation === 'read') return RANK.noise;
  return status === 'refused' ? RANK.refused : RANK.evidence;
}

/** The rank of one record: a tool that makes changes may have been called as a read, where the operator allows that. */
export function rankOfRecord(kind: Kind, hasChanged: boolean): Rank {
  return hasChanged && kind.status !== 'refused' ? RANK.evidence : rankOf(kind);
}

/** SQL: whether the metadata of a record names a tool that makes changes. The text of a caller is escaped in it, so it cannot contain this. */
export const CHANGED_SQL = `(a.metadata LIKE '%"verdict":"write"%' OR a.metadata LIKE '%"verdict":"destructive"%')`;

/** Which records go in one pass over the chain; the others are kept. */
export interface Selection {
  /** Records of this rank and lower ones go. */
  rank: Rank;
  /** So do records with a lower sequence number, whatever they are. */
  before: number;
}

export const isDropped = ({ rank, before }: Selection, record: { seq: number; rank: Rank }): boolean =>
  record.rank <= rank || record.seq < before;

const DAY_MS = 86_400_000;

/** What may go, in this order, while the log is too large. Evidence goes last, and only if it is older than the floor. */
export function selections(settings: Config['activity'], now: number): Selection[] {
  const { retention_days: most, keep_changes_days: floor } = settings;
  return [
    { rank: RANK.noise, before: 0 },
    { rank: RANK.refused, before: firstSeqAt(now - Math.min(most, floor) * DAY_MS) },
  ];
}

/** A pass over the whole chain is not made for the few records that are a little older than the floor. */
const SLACK = 30;

/** Whether the oldest record is so much older than the floor that a pass is worthwhile. */
export function isPastFloor(oldest: number | null, { before }: Selection, now: number): boolean {
  if (oldest === null || before === 0) return false;
  return oldest < before - (firstSeqAt(now) - before) / SLACK;
}

/** A pass keeps what it does not drop by appending it to the chain again, so it must drop at least one record in so many. */
const WORTHWHILE = 20;

export const isWorthwhile = (dropped: number, all: number): boolean =>
  dropped > 0 && dropped * WORTHWHILE >= all;

/** Records and bytes beyond the limits. */
export interface Excess {
  records: number;
  bytes: number;
}

const MB = 1_048_576;

export function excessOf(
  { max_records: maxRecords, max_size_mb: maxMb }: Config['activity'],
  { records, bytes }: { records: number; bytes: number },
): Excess {
  return { records: Math.max(0, records - maxRecords), bytes: Math.max(0, bytes - maxMb * MB) };
}

/** About how many records make up the excess. */
export function recordsIn(excess: Excess, { records, bytes }: { records: number; bytes: number }): number {
  const perRecord = Math.max(1, bytes / Math.max(1, records));
  return Math.min(records, Math.max(excess.records, Math.ceil(excess.bytes / perRecord)));
}
