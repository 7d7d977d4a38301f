import type { ActivityFilter } from '../../contract/activity.ts';
import type { PostgresDatabase } from '../../db/postgres-database.ts';
import { storable } from '../entry.ts';
import { wordsOf } from '../words.ts';
import {
  ANY,
  createValues,
  facetConditions,
  isNamed,
  seqRange,
  spanOf,
  wordQuery,
  type Span,
} from './conditions.ts';

/** A filter, made ready: how many records its facets hold, and how to get to them. */
export interface PgPlan {
  filter: ActivityFilter;
  /** Records in the facets that can match. */
  held: number;
  /** How many of all records that is. */
  share: number;
  /**
   * `nothing` matches; `any`: nothing is filtered but time; `facets`: their runs of the index answer; `few`: so few records are in the
   * facets that looking at each beats asking the index of words; `words`: that index answers.
   */
  way: 'nothing' | 'any' | 'facets' | 'few' | 'words';
  /** For the index of words. */
  query: string;
  hasWords: boolean;
  span: Span;
  /** Inclusive. */
  low: number;
  high: number;
  /** The clock of some writer has gone back at some time, so the stretch may hold records outside of the time range. */
  timeNeedsTest: boolean;
  maxSkew: number;
}

const FEW = 500;

export async function makePgPlan(
  filter: ActivityFilter,
  { pool }: Pick<PostgresDatabase, 'pool'>,
): Promise<PgPlan> {
  const words = filter.q === undefined ? null : wordsOf(storable(filter.q));
  const { held, all, unlisted, skew } = await count(filter, pool);
  const span = spanOf(filter);
  const byWords =
    words !== null ||
    filter.session_id !== undefined ||
    filter.request_id !== undefined ||
    filter.conversation_id !== undefined ||
    // Names stand in the records as well as in facets.
    (isNamed(filter) && unlisted > 0);
  return {
    filter,
    held,
    share: held / Math.max(1, all),
    way: wayOf({ filter, byWords, held, nothing: words?.size === 0 || held === 0 }),
    query: wordQuery(filter, words ?? []),
    hasWords: words !== null,
    span,
    ...seqRange(span, skew),
    timeNeedsTest: skew > 0 && (span.from !== -Infinity || span.to !== Infinity),
    maxSkew: skew,
  };
}

function wayOf(found: {
  filter: ActivityFilter;
  byWords: boolean;
  held: number;
  nothing: boolean;
}): PgPlan['way'] {
  const { filter, byWords, held, nothing } = found;
  if (nothing) return 'nothing';
  if (byWords) return held <= FEW ? 'few' : 'words';
  const { type, status, intent_type: operation } = filter;
  return type === undefined && status === undefined && operation === undefined && !isNamed(filter)
    ? 'any'
    : 'facets';
}

interface Counted {
  held: number;
  all: number;
  /** Records that keep their names themselves, among those of the facets. */
  unlisted: number;
  skew: number;
}

async function count(filter: ActivityFilter, pool: PostgresDatabase['pool']): Promise<Counted> {
  const values = createValues();
  const skew = `coalesce((SELECT value FROM activity_state WHERE key = 'max_skew'), 0) AS skew`;
  const conditions = facetConditions(filter, values);
  // Without a facet to ask for there is nothing to look up, and this is a part of every page.
  const { rows } = await pool.query<Counted>(
    conditions === ANY
      ? `SELECT coalesce(sum(n), 0) AS held, 0 AS unlisted, coalesce(sum(n), 0) AS all, ${skew} FROM activity_count_all`
      : `SELECT coalesce(sum(n) FILTER (WHERE ${conditions}), 0) AS held,
           coalesce(sum(n) FILTER (WHERE f.unlisted = 1), 0) AS unlisted, coalesce(sum(n), 0) AS all, ${skew}
         FROM activity_count_all JOIN activity_facet f ON f.id = facet_id`,
    values.list,
  );
  return rows[0]!;
}
