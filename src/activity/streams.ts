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
    // FTS5 uses a bound only where it is an integer, and a JavaScript number of this size arrives as a float.
    const statement = (order: string) =>
      sqlite.prepare(
        `SELECT ${column} AS seq FROM ${from} WHERE ${condition} ${column} BETWEEN CAST(? AS INTEGER) AND CAST(? AS INTEGER)
         ORDER BY ${column} ${order} LIMIT ?`,
        { returnArrays: true },
      );
    return { newest: statement('DESC'), oldest: statement('ASC') };
  };
  const sources = {
    all: source(''),
    facet: source('facet_id = ? AND', 'activity INDEXED BY activity_by_facet'),
    text: source('activity_text MATCH ? AND', 'activity_text', 'rowid'),
    changed: source('', 'activity_reindex'),
  };
  const stream = (
    from: Record<Direction, StatementSyncInstance>,
    parameters: Array<string | number>,
    last = Infinity,
  ): Stream => ({
    last,
    take: (low, high, limit, direction) =>
      (from[direction].all(...parameters, low, high, limit) as unknown as number[][]).map((row) => row[0]!),
  });
  const all = stream(sources.all, []);
  const unindexed = (): Stream[] => [
    {
      last: Infinity,
      take: (low, high, limit, direction) =>
        all.take(Math.max(low, index.indexedTo() + 1), high, limit, direction),
    },
    stream(sources.changed, []),
  ];
  const expression = (plan: Plan) => index.expression(plan.filter, plan.words ?? [], !plan.byText);
  const text = (plan: Plan) => [stream(sources.text, [expression(plan)]), ...unindexed()];
  const countText = createTextCount(sqlite);

  return {
    of(plan) {
      if (plan.words?.size === 0) return [];
      if (plan.byText) return text(plan);
      if (plan.everything) return [all];
      const listed = plan.facets.map((facet) => stream(sources.facet, [facet.id], facet.lastSeq));
      return plan.unlisted ? [...listed, ...text(plan)] : listed;
    },
    text,
    unindexed,
    countText: (plan, bound) => countText(expression(plan), plan, bound),
  };
}

/** Each condition costs for every record that is counted, so each is left out where it excludes nothing. */
function createTextCount(
  sqlite: DatabaseSyncInstance,
): (expression: string, plan: Plan, bound: number) => number {
  const changed = sqlite.prepare('SELECT 1 FROM activity_reindex LIMIT 1');
  const from = 'FROM activity_text WHERE activity_text MATCH ?';
  const statement = (unchanged: string) => ({
    all: sqlite.prepare(`SELECT count(*) AS n ${from}${unchanged}`),
    range: sqlite.prepare(
      `SELECT count(*) AS n ${from}${unchanged} AND rowid BETWEEN CAST(? AS INTEGER) AND CAST(? AS INTEGER)`,
    ),
    bounded: sqlite.prepare(
      `SELECT count(*) AS n FROM (SELECT 1 ${from}${unchanged} AND rowid BETWEEN CAST(? AS INTEGER) AND CAST(? AS INTEGER) LIMIT ?)`,
    ),
  });
  const plain = statement('');
  const withChanges = statement(' AND rowid NOT IN (SELECT seq FROM activity_reindex)');
  return (expression, { low, high }, bound) => {
    const { all, range, bounded } = changed.get() === undefined ? plain : withChanges;
    const limited = bound < Number.MAX_SAFE_INTEGER;
    const whole = low <= 0 && high >= Number.MAX_SAFE_INTEGER;
    const row = limited
      ? bounded.get(expression, low, high, bound)
      : whole
        ? all.get(expression)
        : range.get(expression, low, high);
    return (row as { n: number }).n;
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
