import type { Sqlite } from '../../db/index.ts';
import type { ActivityRecord } from '../../contract/activity.ts';
import type { Facets } from '../counts/facets.ts';
import type { Plan } from './plan.ts';
import { toRecord } from '../record/row.ts';
import type { ActivityRow } from '../record/activity-row.ts';
import { mergeStreams } from './streams.ts';
import type { Direction, Stream } from './stream.ts';
import type { TextStreams } from './text-streams.ts';

export interface Position {
  low: number;
  high: number;
  limit: number;
  direction: Direction;
}

export interface Finder {
  /** Matching records in order, at most `limit`. */
  rows(plan: Plan, position: Position): Promise<ActivityRow[]>;
  /** Counts what the text index answers for, up to `bound`; looks only at the records that it does not hold. */
  countText(plan: Plan, bound: number): Promise<number>;
  bySeq(seq: number): ActivityRow | undefined;
  record(row: ActivityRow): ActivityRecord;
}

/** How many candidates are looked at before others get a turn. */
const CHUNK = 1000;
/** The same for long ones. */
const CHUNK_CHARACTERS = 500_000;

export interface FinderParts {
  sqlite: Sqlite;
  facets: Facets;
  streamsOf: (plan: Plan) => Stream[];
  text: TextStreams;
}

export function createFinder({ sqlite, facets, streamsOf, text }: FinderParts): Finder {
  const one = sqlite.prepare('SELECT * FROM activity WHERE seq = ?');
  const bySeq = (seq: number) => one.get(seq) as ActivityRow | undefined;

  /** Takes candidates in runs until `limit` of them matched or the stretch is through. */
  async function walk(
    plan: Plan,
    candidates: Stream[],
    { low, high, limit, direction }: Position,
    each: (row: ActivityRow) => void,
    matches = plan.matches,
  ): Promise<void> {
    let [from, to] = [Math.max(low, plan.low), Math.min(high, plan.high)];
    let wanted = limit;
    let characters = 0;
    let chunk = Math.min(limit, CHUNK);
    while (wanted > 0 && from <= to) {
      const found = mergeStreams(candidates, from, to, chunk, direction);
      for (const seq of found) {
        const row = wanted > 0 ? bySeq(seq) : undefined;
        characters += row?.arguments?.length ?? 0;
        if (characters > CHUNK_CHARACTERS) {
          characters = 0;
          await new Promise(setImmediate);
        }
        if (!row || !matches(row)) continue;
        each(row);
        wanted--;
      }
      if (found.length < chunk) return;
      if (direction === 'newest') to = found.at(-1)! - 1;
      else from = found.at(-1)! + 1;
      chunk = CHUNK;
      await new Promise(setImmediate);
    }
  }

  async function countIn(candidates: Stream[], plan: Plan, bound: number): Promise<number> {
    let n = 0;
    await walk(
      plan,
      candidates,
      { low: 0, high: Number.MAX_SAFE_INTEGER, limit: bound, direction: 'newest' },
      () => n++,
      plan.matchesText,
    );
    return n;
  }

  return {
    async rows(plan, position) {
      const rows: ActivityRow[] = [];
      await walk(plan, streamsOf(plan), position, (row) => rows.push(row));
      return rows;
    },
    async countText(plan, bound) {
      if (plan.words?.size === 0) return 0;
      if (plan.few) return countIn(streamsOf(plan), plan, bound);
      if (plan.timeNeedsTest) return countIn(text.of(plan), plan, bound);
      const indexed = text.count(plan, bound);
      return Math.min(bound, indexed + (await countIn(text.unindexed(), plan, bound)));
    },
    bySeq,
    record(row) {
      const facet = facets.get(row.facet_id);
      if (!facet) throw new Error(`record ${row.id} points at facet ${row.facet_id}, which does not exist`);
      return toRecord(row, facet);
    },
  };
}
