import { LOG_SPAN } from '../chain/chain.ts';
import { type RecordKind, STATE, recordState } from '../chain/hash-chain.ts';
import type { Facet } from '../counts/facets.ts';
import { type Selection, isDropped, rankOfRecord } from './rank.ts';

/** An entry at the beginning of the chain, with its record. */
export interface Leading {
  pos: number;
  seq: number | null;
  entry: string;
  hash: string;
  facet_id: number | null;
  ts: number | null;
  salt: string | null;
  /** The record names a tool that makes changes. */
  changed: number | null;
}

export interface DroppedRange {
  entries: number;
  last: Leading;
  /** Records whose last entry is in the range, and which go with it. */
  rows: Array<{ seq: number; ts: number; facet_id: number }>;
  /** Those that stay. */
  kept: Array<{ item: Leading }>;
  from: number;
  until: number;
}

export interface RangeLimits {
  /** Entries up to the first record with this sequence number. */
  before: number;
  /** Records that go. */
  most: number;
  /** The last position. */
  upTo: number;
  /** Which records go; all of them if it is not given. */
  selection?: Selection;
}

type FacetOf = (id: number) => Facet | undefined;

/** The longest beginning whose records are older than `before`, with at most `most` records that go with it. */
export function leadingRange(
  items: readonly Leading[],
  limits: RangeLimits & { isFull: boolean },
  facetOf: FacetOf,
): DroppedRange | null {
  const ofLog = items.filter(({ pos }) => logOf(pos) === logOf(items[0]!.pos));
  const past = ofLog.findIndex(({ seq }) => seq !== null && seq >= limits.before);
  const range = createRange(limits, facetOf);
  const old = past < 0 ? ofLog : ofLog.slice(0, past);
  for (const item of old) if (!range.take(item)) return range.end(false);
  // The end of a log that nobody continues: statements at its end go too.
  const isFollowed = ofLog.length < items.length;
  if (isFollowed && past < 0) range.takeRest(ofLog.at(-1)!, ofLog.length);
  return range.end(past < 0 && (limits.isFull || isFollowed));
}

function createRange({ most, selection }: RangeLimits, facetOf: FacetOf) {
  const range: DroppedRange = { entries: 0, last: undefined!, rows: [], kept: [], from: 0, until: 0 };
  /** The range up to the last record that goes, and how many stay in it. */
  let useful: DroppedRange | undefined;
  let staying = 0;
  let taken = 0;

  function add(item: Leading): void {
    const facet = facetOf(item.facet_id!);
    const rank = rankOfRecord(
      facet ?? { type: 'decision', status: 'success', operation_type: null },
      item.changed === 1,
    );
    if (selection && !isDropped(selection, { seq: item.seq!, rank })) return void range.kept.push({ item });
    range.rows.push({ seq: item.seq!, ts: item.ts!, facet_id: item.facet_id! });
    useful = { ...range };
    staying = range.kept.length;
  }

  return {
    /** False: there is enough. */
    take(item: Leading): boolean {
      if (range.rows.length >= most) return false;
      taken++;
      if (item.seq === null) return true; // goes with the next record, if there is one
      const kind = extend(range, taken, item);
      if (isLastEntry(item, kind, facetOf)) add(item);
      return true;
    },
    takeRest(last: Leading, entries: number): void {
      if (entries > range.entries) extend(range, entries, last);
    },
    /** `isPassing`: more follows, so a beginning from which nothing goes is passed by keeping all of it. */
    end(isPassing: boolean): DroppedRange | null {
      if (range.entries === 0) return null;
      if (!selection || isPassing) return range;
      return useful ? { ...useful, kept: range.kept.slice(0, staying) } : null;
    },
  };
}

const logOf = (pos: number) => Math.floor(pos / LOG_SPAN);

/** Whether the record has no later entry. */
function isLastEntry(item: Leading, kind: RecordKind, facetOf: FacetOf): boolean {
  if (item.facet_id === null) return false;
  return STATE[kind] === recordState(item, facetOf(item.facet_id)?.status ?? '');
}

/** Extends the range to this entry. Returns its kind. */
function extend(range: DroppedRange, entries: number, last: Leading): RecordKind {
  const { k, t } = JSON.parse(last.entry) as { k: RecordKind; t: number };
  if (range.entries === 0) range.from = t;
  Object.assign(range, { entries, last, until: t });
  return k;
}
