import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import type { Plan } from './plan.ts';
import type { TextIndex } from './text-index.ts';

export type Direction = 'newest' | 'oldest';

/** An ordered run of sequence numbers that may match, read from one index. */
export interface Stream {
  /** Nothing newer comes from it. */
  last: number;
  take(low: number, high: number, limit: number, direction: Direction): number[];
}

export interface Streams {
  /** Together they hold every record that matches; the plan tests each one. */
  of(plan: Plan): Stream[];
  /** The part that the text index answers for, with what it does not hold. */
  text(plan: Plan): Stream[];
  /** Records that the text index does not hold, or not as they are now. */
  unindexed(): Stream[];
  /** How many records of the stretch the text index finds, up to `bound`. */
  countText(plan: Plan, bound: number): number;
}

/** Statement for both directions; `condition` takes its own parameters before those of the stretch. */
type Source = (condition: string, from?: string, column?: string) => Record<Direction, StatementSyncInstance>;

export function createStreams(sqlite: DatabaseSyncInstance, index: TextIndex): Streams {
  const source: Source = (condition, from = 'activity', column = 'seq') => {
    const statement = (order: string) =>
      sqlite.prepare(
        `SELECT ${column} AS seq FROM ${from} WHERE ${condition} ${column} BETWEEN ? AND ? ORDER BY ${column} ${order} LIMIT ?`,
        {
          returnArrays: true,
        },
      );
    return { newest: statement('DESC'), oldest: statement('ASC') };
  };
  const inText = 'activity_text MATCH ? AND rowid NOT IN (SELECT seq FROM activity_reindex) AND';
  const sources = {
    all: source(''),
    facet: source('facet_id = ? AND', 'activity INDEXED BY activity_by_facet'),
    text: source(inText, 'activity_text', 'rowid'),
    unindexed: source(`seq > coalesce((SELECT value FROM activity_state WHERE key = 'indexed_to'), 0) AND`),
    changed: source('', 'activity_reindex'),
  };
  const count = sqlite.prepare(
    `SELECT count(*) AS n FROM (SELECT 1 FROM activity_text WHERE ${inText} rowid BETWEEN ? AND ? LIMIT ?)`,
  );

  const stream = (
    from: Record<Direction, StatementSyncInstance>,
    parameters: Array<string | number>,
    last = Infinity,
  ): Stream => ({
    last,
    take: (low, high, limit, direction) =>
      (from[direction].all(...parameters, low, high, limit) as unknown as number[][]).map((row) => row[0]!),
  });
  const expression = (plan: Plan) => index.expression(plan.filter, plan.words ?? [], !plan.byText);
  const unindexed = () => [stream(sources.unindexed, []), stream(sources.changed, [])];
  const text = (plan: Plan) => [stream(sources.text, [expression(plan)]), ...unindexed()];

  return {
    of(plan) {
      if (plan.words?.size === 0) return [];
      if (plan.byText) return text(plan);
      if (plan.everything) return [stream(sources.all, [])];
      const listed = plan.facets.map((facet) => stream(sources.facet, [facet.id], facet.lastSeq));
      return plan.unlisted ? [...listed, ...text(plan)] : listed;
    },
    text,
    unindexed,
    countText: (plan, bound) => (count.get(expression(plan), plan.low, plan.high, bound) as { n: number }).n,
  };
}

/** The first `limit` numbers of all streams in order. Streams that cannot reach the cut-off are not read. */
export function mergeStreams(
  streams: Stream[],
  low: number,
  high: number,
  limit: number,
  direction: Direction,
): number[] {
  const newest = direction === 'newest';
  const ordered = newest && streams.length > 1 ? [...streams].sort((a, b) => b.last - a.last) : streams;
  let best: number[] = [];
  for (const stream of ordered) {
    const full = best.length >= limit;
    const cut = best[limit - 1];
    if (newest && full && stream.last < cut!) break;
    const found = full
      ? newest
        ? stream.take(cut!, high, limit, direction)
        : stream.take(low, cut!, limit, direction)
      : stream.take(low, high, limit, direction);
    if (found.length > 0) best = merged(best, found, newest).slice(0, limit);
  }
  return best;
}

function merged(a: number[], b: number[], newest: boolean): number[] {
  const out: number[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const takeA = j >= b.length || (i < a.length && (newest ? a[i]! >= b[j]! : a[i]! <= b[j]!));
    const seq = takeA ? a[i++]! : b[j++]!;
    // The same record may come from two streams.
    if (out.at(-1) !== seq) out.push(seq);
  }
  return out;
}
