import type { Sqlite } from '../../db/index.ts';
import type { ActivityRecord } from '../../contract/activity.ts';
import type { Facet, Facets } from '../counts/facets.ts';
import type { Plan } from './plan.ts';
import { type ActivityRow, COLUMNS, toRecord } from '../record/row.ts';
import { mergeStreams, type ColumnStreams, type Slice, type Stream, type TextStreams } from './streams.ts';

export interface Finder {
  /** Matching records in order, at most `limit` of the slice. */
  rows(plan: Plan, slice: Slice & { isLight?: boolean }): Promise<ActivityRow[]>;
  /** Counts matches up to `bound` among the candidates of the index of a column. */
  countColumn(plan: Plan, bound: number): Promise<number>;
  /** Counts matches of the text index up to `bound`. Reads only records that are not indexed. */
  countText(plan: Plan, bound: number): Promise<number>;
  /** Counts matches record by record up to `bound`. */
  countRows(plan: Plan, bound: number): Promise<number>;
  /** Visits the newest matches, at most `bound`. The rows have no payloads, unless words are searched in them. Returns how many there were. */
  visit(plan: Plan, bound: number, each: VisitMatch): Promise<number>;
  bySeq(seq: number): ActivityRow | undefined;
  record(row: ActivityRow): ActivityRecord;
}

/** Candidates per chunk; other work runs after each chunk. */
const CHUNK = 1000;
/** The same limit in characters, for long records. */
const CHUNK_CHARACTERS = 500_000;

const PAYLOADS: ReadonlySet<string> = new Set(['arguments', 'response']);
const LIGHT_COLUMNS = COLUMNS.map((name) => (PAYLOADS.has(name) ? `NULL AS ${name}` : name)).join();

const newest = (limit: number): Slice => ({
  low: 0,
  high: Number.MAX_SAFE_INTEGER,
  limit,
  direction: 'newest',
});

export interface FinderParts {
  sqlite: Sqlite;
  facets: Facets;
  streamsOf: (plan: Plan) => Stream[];
  text: TextStreams;
  columns: ColumnStreams;
}

interface Search {
  plan: Plan;
  candidates: Stream[];
  matches: (row: ActivityRow) => boolean;
  /** Payloads are not needed. */
  isLight?: boolean;
}

/** `n`: how many matched so far, from 1. */
type VisitMatch = (row: ActivityRow, facet: Facet, n: number) => void;
type Visit = (row: ActivityRow) => void;

/** True each time that so many characters were read that other work should run first. */
function createPace(): { isDue(row: ActivityRow | undefined): boolean } {
  let characters = 0;
  return {
    isDue(row) {
      characters += row?.arguments?.length ?? 0;
      if (characters <= CHUNK_CHARACTERS) return false;
      characters = 0;
      return true;
    },
  };
}

export function createFinder({ sqlite, facets, streamsOf, text, columns }: FinderParts): Finder {
  const one = sqlite.prepare(`SELECT ${COLUMNS.join()} FROM activity WHERE seq = ?`);
  const bySeq = (seq: number) => one.get(seq) as ActivityRow | undefined;
  const light = sqlite.prepare(`SELECT ${LIGHT_COLUMNS} FROM activity WHERE seq = ?`);
  const lightBySeq = (seq: number) => light.get(seq) as ActivityRow | undefined;

  /** Reads candidates chunk by chunk until `limit` of them matched or the range ends. */
  async function walk(
    { plan, candidates, matches, isLight }: Search,
    slice: Slice,
    each: Visit,
  ): Promise<void> {
    const { limit, direction } = slice;
    const read = isLight && plan.words === null ? lightBySeq : bySeq;
    let [low, high] = [Math.max(slice.low, plan.low), Math.min(slice.high, plan.high)];
    let wanted = limit;
    let chunk = Math.min(limit, CHUNK);
    const pace = createPace();
    while (wanted > 0 && low <= high) {
      const found = mergeStreams(candidates, { low, high, limit: chunk, direction });
      for (const seq of found) {
        const row = wanted > 0 ? read(seq) : undefined;
        if (pace.isDue(row)) await new Promise(setImmediate);
        if (!row || !matches(row)) continue;
        each(row);
        wanted--;
      }
      if (found.length < chunk) return;
      if (direction === 'newest') high = found.at(-1)! - 1;
      else low = found.at(-1)! + 1;
      chunk = CHUNK;
      await new Promise(setImmediate);
    }
  }

  async function countIn(
    { plan, candidates, matches }: Omit<Search, 'matches'> & { matches?: Search['matches'] },
    bound: number,
  ): Promise<number> {
    let n = 0;
    const search = { plan, candidates, matches: matches ?? plan.matchesText, isLight: true };
    await walk(search, newest(bound), () => n++);
    return n;
  }

  function facetOf({ id, facet_id: facetId }: ActivityRow): Facet {
    const facet = facets.get(facetId);
    if (!facet) throw new Error(`record ${id} points at facet ${facetId}, which does not exist`);
    return facet;
  }

  return {
    async rows(plan, { isLight = false, ...slice }) {
      const rows: ActivityRow[] = [];
      const search = { plan, candidates: streamsOf(plan), matches: plan.matches, isLight };
      await walk(search, slice, (row) => rows.push(row));
      return rows;
    },
    async countColumn(plan, bound) {
      if (plan.words?.size === 0) return 0;
      return countIn({ plan, candidates: columns.of(plan), matches: plan.matches }, bound);
    },
    async countText(plan, bound) {
      if (plan.words?.size === 0) return 0;
      if (plan.isSelective) return countIn({ plan, candidates: streamsOf(plan) }, bound);
      if (plan.needsTimeTest) return countIn({ plan, candidates: text.of(plan) }, bound);
      const indexed = text.count(plan, bound);
      return Math.min(bound, indexed + (await countIn({ plan, candidates: text.unindexed() }, bound)));
    },
    countRows: (plan, bound) => countIn({ plan, candidates: streamsOf(plan), matches: plan.matches }, bound),
    async visit(plan, bound, each) {
      let n = 0;
      const search = { plan, candidates: streamsOf(plan), matches: plan.matches, isLight: true };
      await walk(search, newest(bound), (row) => each(row, facetOf(row), ++n));
      return n;
    },
    bySeq,
    record: (row) => toRecord(row, facetOf(row)),
  };
}
