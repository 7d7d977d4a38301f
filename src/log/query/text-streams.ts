import type { Sqlite } from '../../db/index.ts';
import type { Plan } from './plan.ts';
import { prepareSource, streamFrom, type Stream } from './stream.ts';
import type { TextIndex } from './text-index.ts';

/** The part of a filter that the text index answers for. */
export interface TextStreams {
  /** What the index finds, and what it does not hold yet. */
  of(plan: Plan): Stream[];
  /** Records that the index does not hold, or not as they are now. */
  unindexed(): Stream[];
  /** How many records of the stretch the index finds, up to `bound`; those that changed since are left out. */
  count(plan: Plan, bound: number): number;
}

/** Up to this many, a result is read as a whole. */
const SHORT = 1000;

export function createTextStreams(sqlite: Sqlite, index: TextIndex): TextStreams {
  const all = streamFrom(prepareSource(sqlite, ''));
  const matching = prepareSource(sqlite, 'activity_text MATCH ? AND', 'activity_text', 'rowid');
  const changed = streamFrom(prepareSource(sqlite, '', 'activity_reindex'));
  const hasChanges = () => changed.take(0, Number.MAX_SAFE_INTEGER, 1, 'newest').length > 0;
  const countAll = createCount(sqlite);
  const expression = (plan: Plan) => index.expression(plan.filter, plan.words ?? [], !plan.byText);

  // Where values rarely meet, the first match costs as much as all: a short result serves the page and its total.
  const short = new WeakMap<Plan, number[] | 'long'>();
  function shortResult(plan: Plan): number[] | 'long' {
    const known = short.get(plan);
    if (known !== undefined) return known;
    const found = streamFrom(matching, [expression(plan)]).take(plan.low, plan.high, SHORT + 1, 'newest');
    const result = found.length > SHORT ? 'long' : found;
    short.set(plan, result);
    return result;
  }

  const tail: Stream = {
    last: Infinity,
    take: (low, high, limit, direction) =>
      all.take(Math.max(low, index.indexedTo() + 1), high, limit, direction),
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

/** A result that is known already, newest first. */
function fixed(seqs: number[]): Stream {
  return {
    last: seqs[0] ?? 0,
    take(low, high, limit, direction) {
      const within = seqs.filter((seq) => seq >= low && seq <= high);
      return (direction === 'newest' ? within : within.toReversed()).slice(0, limit);
    },
  };
}

type Count = (expression: string, plan: Plan, options: { bound: number; changes: boolean }) => number;

/** Each condition costs for every record that is counted, so each is left out where it excludes nothing. */
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
