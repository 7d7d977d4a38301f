import type { RecordKind } from '../chain/seal.ts';
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
