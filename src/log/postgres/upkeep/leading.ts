import { type RecordKind, STATE, recordState } from '../../chain/hash-chain.ts';
import type { FacetKey, StoredStatus } from '../../record/row.ts';
import { CHANGED_SQL, type Selection, isDropped, rankOfRecord } from '../../retention/rank.ts';
import { BYTES_SQL } from '../write/deltas.ts';

/** An entry at the beginning of a chain, with its record. */
export interface Leading {
  n: number;
  seq: number | null;
  /** The log of the record, where it is another. */
  of_log: number | null;
  entry: string;
  hash: string;
  facet_id: number | null;
  status: StoredStatus | null;
  type: FacetKey['type'] | null;
  operation_type: FacetKey['operation_type'];
  /** The record names a tool that makes changes. */
  changed: boolean | null;
  ts: number;
  salt: string | null;
  duration_ms: number | null;
  bytes: number;
}

/** Parameters: log, how many, the last entry. */
export const LEADING = `
  SELECT j.n, j.seq, j.of_log, j.entry, j.hash, a.facet_id, f.status, f.type, f.operation_type,
    ${CHANGED_SQL} AS changed, a.ts, a.salt, a.duration_ms, ${BYTES_SQL} AS bytes
  FROM activity_journal j LEFT JOIN activity a ON a.seq = j.seq AND a.log = coalesce(j.of_log, j.log) LEFT JOIN activity_facet f ON f.id = a.facet_id
  WHERE j.log = $1 AND j.n <= $3 ORDER BY j.n LIMIT $2`;

/** The beginning of a chain that is to be dropped. */
export interface DroppedRange {
  entries: number;
  last: Leading;
  /** Records whose last entry is in the range, and which go with it. */
  rows: EndedRecord[];
  /** Those that stay. */
  kept: EndedRecord[];
  from: number;
  until: number;
}

type EndedRecord = Leading & { seq: number; facet_id: number };

export interface RemovalLimits {
  /** Only entries before that of a record with this sequence number. */
  before: number;
  /** Only entries before this time. */
  beforeTime: number;
  /** The last entry. */
  upTo: number;
  /** Records that go. */
  most: number;
  /** Which records go; all of them if it is not given. */
  selection?: Selection;
}

/** The longest beginning of older entries, with at most `most` records that go with it. `isFull`: more entries follow. */
export function leadingRange(
  items: readonly Leading[],
  limits: RemovalLimits,
  isFull: boolean,
): DroppedRange | null {
  const { before, beforeTime, most, selection } = limits;
  let range: DroppedRange | undefined;
  /** The range up to the last record that goes, and how many stay in it. */
  let useful: DroppedRange | undefined;
  let staying = 0;
  for (const [index, item] of items.entries()) {
    if (range && range.rows.length >= most) return cut();
    if (item.seq === null) continue; // goes with the next record, if there is one
    const { k, t } = JSON.parse(item.entry) as { k: RecordKind; t: number };
    if (item.seq >= before || t >= beforeTime) return cut();
    range = { rows: [], kept: [], from: t, ...range, entries: index + 1, last: item, until: t };
    if (endsWith(item, k)) add(range, item as EndedRecord);
  }
  return isFull ? (range ?? null) : cut();

  function add(to: DroppedRange, item: EndedRecord): void {
    if (selection && !isDropped(selection, { seq: item.seq, rank: rankOfItem(item) }))
      return void to.kept.push(item);
    to.rows.push(item);
    useful = { ...to };
    staying = to.kept.length;
  }

  /** Without the end from which nothing goes. Entries of records that end in another log go: the other log waits for that. */
  function cut(): DroppedRange | null {
    if (!selection || range?.kept.length === 0) return range ?? null;
    return useful ? { ...useful, kept: useful.kept.slice(0, staying) } : null;
  }
}

function rankOfItem({ type, status, operation_type, changed }: EndedRecord) {
  return rankOfRecord({ type: type!, status: status!, operation_type }, changed === true);
}

/** Whether nothing comes after this entry that is about the same record. */
function endsWith({ facet_id: id, status, salt, duration_ms: duration }: Leading, kind: RecordKind): boolean {
  if (id === null || STATE[kind] !== recordState({ salt }, status ?? '')) return false;
  // One that was recovered has no duration; where it has, its end came later.
  return kind !== 'recovered' || duration === null;
}
