import { STATE, stateOf, type RecordKind } from '../../chain/seal.ts';
import type { StoredStatus } from '../../record/stored-status.ts';
import { BYTES_SQL } from '../write/deltas.ts';

/** An entry at the beginning of a chain, with the record that it is about. */
export interface Leading {
  n: number;
  seq: number | null;
  /** The log of the record, where it is another. */
  of_log: number | null;
  entry: string;
  hash: string;
  facet_id: number | null;
  status: StoredStatus | null;
  ts: number;
  salt: string | null;
  duration_ms: number | null;
  bytes: number;
}

/** Parameters: log, how many. */
export const LEADING = `
  SELECT j.n, j.seq, j.of_log, j.entry, j.hash, a.facet_id, f.status, a.ts, a.salt, a.duration_ms, ${BYTES_SQL} AS bytes
  FROM activity_journal j LEFT JOIN activity a ON a.seq = j.seq AND a.log = coalesce(j.of_log, j.log) LEFT JOIN activity_facet f ON f.id = a.facet_id
  WHERE j.log = $1 ORDER BY j.n LIMIT $2`;

/** The beginning of a chain that is to be dropped. */
export interface Stretch {
  entries: number;
  last: Leading;
  /** Records whose last entry lies in the stretch. */
  rows: Array<{ seq: number; of_log: number | null; ts: number; facet_id: number; bytes: number }>;
  from: number;
  until: number;
}

/** Only records older than `before`, and at most `most` of them. */
export interface RemovalLimits {
  before: number;
  most: number;
}

/** The longest beginning whose records are older than `before`, with at most `most` records that end in it. */
export function leadingStretch(items: readonly Leading[], { before, most }: RemovalLimits): Stretch | null {
  let stretch: Stretch | undefined;
  for (const [index, item] of items.entries()) {
    if (stretch && stretch.rows.length >= most) break;
    if (item.seq === null) continue; // goes with the next record, if there is one
    if (item.seq >= before) break;
    const { k, t } = JSON.parse(item.entry) as { k: RecordKind; t: number };
    stretch = { rows: [], from: t, ...stretch, entries: index + 1, last: item, until: t };
    if (endsWith(item, k)) stretch.rows.push({ ...item, seq: item.seq, facet_id: item.facet_id! });
  }
  return stretch ?? null;
}

/** Whether nothing comes after this entry that is about the same record. */
function endsWith({ facet_id: id, status, salt, duration_ms: duration }: Leading, kind: RecordKind): boolean {
  if (id === null || STATE[kind] !== stateOf({ salt }, status ?? '')) return false;
  // One that was recovered has no duration; where it has, its end came later.
  return kind !== 'recovered' || duration === null;
}
