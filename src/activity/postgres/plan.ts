import type { ActivityFilter } from '../../contract/activity.ts';
import type { PostgresDatabase } from '../../db/postgres-database.ts';
import { storable } from '../entry.ts';
import { wordsOf } from '../words.ts';
import {
  createValues,
  facetConditions,
  isNamed,
  seqRange,
  spanOf,
  wordQuery,
  type Span,
} from './conditions.ts';

/** A filter, made ready: which facets can match, how many records they hold, and how to get to them. */
export interface PgPlan {
  filter: ActivityFilter;
  /** Those whose records can match. */
  facets: Array<{ id: number; n: number }>;
  /** Records in those facets. */
  held: number;
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
  const { facets, maxSkew } = await matchingFacets(filter, pool);
  const span = spanOf(filter);
  const held = facets.reduce((sum, { n }) => sum + n, 0);
  const byWords =
    words !== null ||
    filter.session_id !== undefined ||
    filter.request_id !== undefined ||
    filter.conversation_id !== undefined ||
    // Names stand in the records as well as in facets.
    (isNamed(filter) && facets.some(({ unlisted }) => unlisted === 1));
  return {
    filter,
    facets,
    held,
    way: wayOf({ filter, byWords, held, nothing: words?.size === 0 || facets.length === 0 }),
    query: wordQuery(filter, words ?? []),
    hasWords: words !== null,
    span,
    ...seqRange(span, maxSkew),
    timeNeedsTest: maxSkew > 0 && (span.from !== -Infinity || span.to !== Infinity),
    maxSkew,
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

/** With the number of records that each holds; those that hold none are left out. */
async function matchingFacets(
  filter: ActivityFilter,
  pool: PostgresDatabase['pool'],
): Promise<{ facets: Array<{ id: number; n: number; unlisted: number }>; maxSkew: number }> {
  const values = createValues();
  const { rows } = await pool.query<{ id: number; n: number; unlisted: number; skew: number }>(
    `SELECT f.id, f.unlisted, sum(c.n) AS n, coalesce((SELECT value FROM activity_state WHERE key = 'max_skew'), 0) AS skew
     FROM activity_facet f JOIN activity_count c ON c.level = 2 AND c.bucket = 0 AND c.facet_id = f.id
     WHERE ${facetConditions(filter, values)} GROUP BY f.id HAVING sum(c.n) > 0`,
    values.list,
  );
  return { facets: rows, maxSkew: rows[0]?.skew ?? 0 };
}
