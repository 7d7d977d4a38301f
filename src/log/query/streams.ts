import type { Sqlite, Statement } from '../../db/index.ts';
import type { DecisionColumn, Plan } from './plan.ts';
import type { TextIndex } from './text-index.ts';

export type Direction = 'newest' | 'oldest';

/** A range of sequence numbers, both ends inclusive, and how much of it to read. */
export interface Slice {
  low: number;
  high: number;
  limit: number;
  direction: Direction;
}

/** Sequence numbers of records that may match, in order, read from one index. */
export interface Stream {
  /** The stream has nothing newer. */
  last: number;
  take(slice: Slice): number[];
}

type Source = Record<Direction, Statement>;

interface SourceQuery {
  /** Its own parameters come before those of the slice. */
  condition?: string;
  from?: string;
  column?: string;
}

/** One statement per direction. */
function prepareSource(sqlite: Sqlite, query: SourceQuery = {}): Source {
  const { condition = '', from = 'activity', column = 'seq' } = query;
  // FTS5 uses a bound only where it is an integer, and a JavaScript number of this size arrives as a float.
  const statement = (order: string) =>
    sqlite.prepare(
      `SELECT ${column} AS seq FROM ${from} WHERE ${condition} ${column} BETWEEN CAST(? AS INTEGER) AND CAST(? AS INTEGER)
       ORDER BY ${column} ${order} LIMIT ?`,
      { returnArrays: true },
    );
  return { newest: statement('DESC'), oldest: statement('ASC') };
}

function streamFrom(source: Source, parameters: Array<string | number> = [], last = Infinity): Stream {
  return {
    last,
    take: ({ low, high, limit, direction }) =>
      (source[direction].all(...parameters, low, high, limit) as unknown as number[][]).map((row) => row[0]!),
  };
}

/** Candidates from the text index. */
export interface TextStreams {
  /** Matches of the index, and records that are not indexed yet. */
  of(plan: Plan): Stream[];
  /** Records that are not indexed, or not in their current state. */
  unindexed(): Stream[];
  /** Number of matches in the range of the plan, up to `bound`, without records that changed since. */
  count(plan: Plan, bound: number): number;
}

/** Results up to this length are read completely. */
const SHORT = 1000;
const WHOLE_LOG = { low: 0, high: Number.MAX_SAFE_INTEGER };

export function createTextStreams(sqlite: Sqlite, index: TextIndex): TextStreams {
  const all = streamFrom(prepareSource(sqlite));
  const matching = prepareSource(sqlite, {
    condition: 'activity_text MATCH ? AND',
    from: 'activity_text',
    column: 'rowid',
  });
  const changed = streamFrom(prepareSource(sqlite, { from: 'activity_reindex' }));
  const hasChanges = () => changed.take({ ...WHOLE_LOG, limit: 1, direction: 'newest' }).length > 0;
  const countAll = createCount(sqlite);
  const expression = (plan: Plan) => index.expression(plan.filter, plan.words ?? [], !plan.byText);

  // For a rare combination the first match costs as much as all matches: a short result serves the page and its total.
  const short = new WeakMap<Plan, number[] | 'long'>();
  function shortResult(plan: Plan): number[] | 'long' {
    const known = short.get(plan);
    if (known !== undefined) return known;
    const found = streamFrom(matching, [expression(plan)]).take({
      low: plan.low,
      high: plan.high,
      limit: SHORT + 1,
      direction: 'newest',
    });
    const result = found.length > SHORT ? 'long' : found;
    short.set(plan, result);
    return result;
  }

  const tail: Stream = {
    last: Infinity,
    take: (slice) => all.take({ ...slice, low: Math.max(slice.low, index.indexedTo() + 1) }),
  };
  const unindexed = () => [tail, changed];

  return {
    of(plan) {
      const result = shortResult(plan);
      return [result === 'long' ? streamFrom(matching, [expression(plan)]) : fixed(result), ...unindexed()];
    },
    unindexed,
    count(plan, bound) {
      const changes = hasChanges();
      const result = changes ? 'long' : shortResult(plan);
      return result === 'long' ? countAll(expression(plan), plan, { bound, changes }) : result.length;
    },
  };
}

/** A stream of known sequence numbers, newest first. */
function fixed(seqs: number[]): Stream {
  return {
    last: seqs[0] ?? 0,
    take({ low, high, limit, direction }) {
      const within = seqs.filter((seq) => seq >= low && seq <= high);
      return (direction === 'newest' ? within : within.toReversed()).slice(0, limit);
    },
  };
}

type Count = (expression: string, plan: Plan, options: { bound: number; changes: boolean }) => number;

/** Conditions that exclude nothing are omitted, because each costs time per counted record. */
function createCount(sqlite: Sqlite): Count {
  const prepare = (unchanged: string) => {
    const from = `FROM activity_text WHERE activity_text MATCH ?${unchanged}`;
    const range = 'AND rowid BETWEEN CAST(? AS INTEGER) AND CAST(? AS INTEGER)';
    return {
      all: sqlite.prepare(`SELECT count(*) AS n ${from}`),
      range: sqlite.prepare(`SELECT count(*) AS n ${from} ${range}`),
      bounded: sqlite.prepare(`SELECT count(*) AS n FROM (SELECT 1 ${from} ${range} LIMIT ?)`),
    };
  };
  const plain = prepare('');
  const withChanges = prepare(' AND rowid NOT IN (SELECT seq FROM activity_reindex)');
  return (expression, { low, high }, { bound, changes }) => {
    const { all, range, bounded } = changes ? withChanges : plain;
    const whole = low <= 0 && high >= Number.MAX_SAFE_INTEGER;
    if (bound < Number.MAX_SAFE_INTEGER)
      return (bounded.get(expression, low, high, bound) as { n: number }).n;
    return ((whole ? all.get(expression) : range.get(expression, low, high)) as { n: number }).n;
  };
}

/** Candidates from the index of one column. */
export interface ColumnStreams {
  of(plan: Plan): Stream[];
}

const INDEXES: Record<DecisionColumn, string> = {
  approval_id: 'activity_by_approval',
  decided_by: 'activity_by_decider',
};

export function createColumnStreams(sqlite: Sqlite): ColumnStreams {
  const source = (column: DecisionColumn) =>
    prepareSource(sqlite, { condition: `${column} = ? AND`, from: `activity INDEXED BY ${INDEXES[column]}` });
  const sources = { approval_id: source('approval_id'), decided_by: source('decided_by') };
  return { of: ({ column, filter }) => [streamFrom(sources[column!], [filter[column!]!])] };
}

/** Streams that together contain every matching record; the plan tests each one. */
export function createStreams(
  sqlite: Sqlite,
  { text, columns }: { text: TextStreams; columns: ColumnStreams },
): (plan: Plan) => Stream[] {
  const all = prepareSource(sqlite);
  const byFacet = prepareSource(sqlite, {
    condition: 'facet_id = ? AND',
    from: 'activity INDEXED BY activity_by_facet',
  });
  return (plan) => {
    if (plan.words?.size === 0) return [];
    if (plan.column !== null) return columns.of(plan);
    if (plan.byText && !plan.isSelective) return text.of(plan);
    if (plan.matchesAll) return [streamFrom(all)];
    const listed = plan.facets.map((facet) => streamFrom(byFacet, [facet.id], facet.lastSeq));
    return plan.unlisted ? [...listed, ...text.of(plan)] : listed;
  };
}

/** The first `limit` sequence numbers of all streams in order. Streams that cannot contribute are not read. */
export function mergeStreams(streams: readonly Stream[], slice: Slice): number[] {
  const { low, high, limit, direction } = slice;
  const newest = direction === 'newest';
  const ordered = newest && streams.length > 1 ? [...streams].sort((a, b) => b.last - a.last) : streams;
  let best: number[] = [];
  for (const stream of ordered) {
    const cut = best[limit - 1];
    if (newest && cut !== undefined && stream.last < cut) break;
    const range = newest ? { low: cut ?? low } : { high: cut ?? high };
    const found = stream.take({ ...slice, ...range });
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
