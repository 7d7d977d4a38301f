import type { RecordFilter } from '../../../contract/activity.ts';
import type { PostgresDatabase } from '../../../db/index.ts';
import { toStorableText } from '../../record/entry.ts';
import {
  asksForFacets,
  asksForText,
  columnOf,
  isAllTime,
  filtersByCaller,
  seqRange,
  spanOf,
  type Span,
} from '../../query/plan.ts';
import { needsRows } from '../../query/clauses.ts';
import { wordsOf } from '../../query/words.ts';
import { ANY, facetConditions, isNamed, wordQuery } from './conditions.ts';
import { createValues } from './sql-values.ts';

/** A filter, made ready: how many records its facets hold, and how to get to them. */
export interface PgPlan {
  filter: RecordFilter;
  /** Records in the facets that can match. */
  held: number;
  /** How many of all records that is. */
  share: number;
  /**
   * `nothing` matches; `any`: nothing is filtered but time; `facets`: their runs of the index answer; `selective`: so few records are in the
   * facets that looking at each beats asking the index of words; `words`: that index answers; `column`: the index of a column about who
   * did what.
   */
  strategy: 'nothing' | 'any' | 'facets' | 'selective' | 'words' | 'column';
  /** For the index of words. */
  query: string;
  /** Matches are counted up to a bound. */
  isBounded: boolean;
  /** Some condition is tested record by record, so matches are counted one by one, up to a bound. */
  needsRows: boolean;
  /** All records are indexed in the present form. */
  isReindexed: boolean;
  span: Span;
  /** Inclusive. */
  low: number;
  high: number;
  /** The clock of some writer has gone back at some time, so the bounds may hold records outside of the time range. */
  needsTimeTest: boolean;
  maxSkew: number;
}

/** What the index of words holds of a record; state `words_form` says what it holds of all of them. */
export const WORDS_VERSION = 3;
const FEW = 500;

export async function makePgPlan(
  filter: RecordFilter,
  { pool }: Pick<PostgresDatabase, 'pool'>,
): Promise<PgPlan> {
  const words = filter.q === undefined ? null : wordsOf(toStorableText(filter.q));
  const { held, all, unlisted, skew, form } = await count(filter, pool);
  const isReindexed = form >= WORDS_VERSION;
  const span = spanOf(filter);
  const byWords =
    asksForText(filter) ||
    // Names stand in the records as well as in facets.
    (isNamed(filter) && unlisted > 0) ||
    (filtersByCaller(filter) && isReindexed);
  return {
    filter,
    held,
    share: held / Math.max(1, all),
    strategy: strategyFor({ filter, byWords, held, nothing: words?.size === 0 }),
    query: wordQuery(filter, words ?? [], isReindexed),
    isBounded:
      words !== null ||
      needsRows(filter.clauses, unlisted > 0) ||
      filtersByCaller(filter) ||
      columnOf(filter) !== null,
    needsRows: needsRows(filter.clauses, unlisted > 0),
    isReindexed,
    span,
    ...seqRange(span, skew),
    needsTimeTest: skew > 0 && !isAllTime(span),
    maxSkew: skew,
  };
}

function strategyFor(found: {
  filter: RecordFilter;
  byWords: boolean;
  held: number;
  nothing: boolean;
}): PgPlan['strategy'] {
  const { filter, byWords, held, nothing } = found;
  if (nothing) return 'nothing';
  if (columnOf(filter) !== null) return 'column';
  if (byWords) return held <= FEW ? 'selective' : 'words';
  if (filtersByCaller(filter)) return 'column';
  // Counts do not decide what the whole log is: they are not covered by the chain.
  if (!asksForFacets(filter)) return 'any';
  return held === 0 ? 'nothing' : 'facets';
}

interface Counted {
  held: number;
  all: number;
  /** Records that keep their names themselves, among those of the facets. */
  unlisted: number;
  skew: number;
  form: number;
}

async function count(filter: RecordFilter, pool: PostgresDatabase['pool']): Promise<Counted> {
  const values = createValues();
  const state = `coalesce((SELECT value FROM activity_state WHERE key = 'max_skew'), 0) AS skew,
    coalesce((SELECT value FROM activity_state WHERE key = 'words_form'), ${WORDS_VERSION}) AS form`;
  const conditions = facetConditions(filter, values);
  // Without a facet to ask for there is nothing to look up, and this is a part of every page.
  const { rows } = await pool.query<Counted>(
    conditions === ANY
      ? `SELECT coalesce(sum(n), 0) AS held, 0 AS unlisted, coalesce(sum(n), 0) AS all, ${state} FROM activity_count_all`
      : `SELECT coalesce(sum(n) FILTER (WHERE ${conditions}), 0) AS held,
           coalesce(sum(n) FILTER (WHERE f.unlisted = 1), 0) AS unlisted, coalesce(sum(n), 0) AS all, ${state}
         FROM activity_count_all JOIN activity_facet f ON f.id = facet_id`,
    values.list,
  );
  return rows[0]!;
}
