import type { FacetKey } from '../facets.ts';
import type { ActivityRow } from '../row.ts';
import { COLUMNS } from '../stored-row.ts';
import { rowConditions, type Values } from './conditions.ts';
import type { PgPlan } from './plan.ts';

export type Direction = 'newest' | 'oldest';

/** A place in the order of records: by number, then by log. */
export interface Place {
  seq: number;
  log: number;
}

export interface Stretch {
  /** Both exclusive. */
  after: Place;
  before: Place;
  direction: Direction;
  limit: number;
}

/** A record with its facet, as a page is read. */
export type FoundRow = ActivityRow &
  Place &
  Pick<FacetKey, 'type' | 'source' | 'status' | 'operation_type'> & {
    facet_server: string | null;
    facet_tool: string | null;
    unlisted: number;
  };

export const FOUND = `a.log, ${COLUMNS.map((name) => `a.${name}`).join()},
  f.type, f.source, f.status, f.operation_type, f.server_name AS facet_server, f.tool_name AS facet_tool, f.unlisted`;

const ordered = (table: string, direction: Direction) =>
  direction === 'newest' ? `${table}.seq DESC, ${table}.log DESC` : `${table}.seq, ${table}.log`;

function within(table: string, { after, before }: Stretch, values: Values): string {
  return `(${table}.seq, ${table}.log) > (${values.of(after.seq)}::bigint, ${values.of(after.log)}::int)
    AND (${table}.seq, ${table}.log) < (${values.of(before.seq)}::bigint, ${values.of(before.log)}::int)`;
}

/** Everything that a record must fulfil beside its place. Where the clock went back, its number does not tell its time. */
function tests({ filter, span, timeNeedsTest }: PgPlan, values: Values): string {
  const conditions = rowConditions(filter, values);
  if (!timeNeedsTest) return conditions;
  return `${conditions} AND a.ts BETWEEN ${values.of(Math.max(span.from, -8.64e15))} AND ${values.of(Math.min(span.to, 8.64e15))}`;
}

/** All records of a stretch. */
export function anyPage(plan: PgPlan, stretch: Stretch, values: Values): string {
  return `SELECT ${FOUND} FROM activity a JOIN activity_facet f ON f.id = a.facet_id
    WHERE ${within('a', stretch, values)} AND ${tests(plan, values)}
    ORDER BY ${ordered('a', stretch.direction)} LIMIT ${values.of(stretch.limit)}`;
}

/**
 * Those of some facets, each read from its own run of the index. A page of fifty comes from the fifty facets with the nearest record, so
 * the others are only looked at once, however many there are.
 */
export function facetPage(plan: PgPlan, stretch: Stretch, values: Values): string {
  const { direction } = stretch;
  const limit = values.of(stretch.limit);
  const run = (facet: string) => `
    SELECT a.seq, a.log FROM activity a JOIN activity_facet f ON f.id = a.facet_id
    WHERE a.facet_id = ${facet} AND ${within('a', stretch, values)} AND ${tests(plan, values)} ORDER BY ${ordered('a', direction)}`;
  return `WITH nearest AS (
      SELECT wanted.id FROM unnest(${values.of(plan.facets.map(({ id }) => id))}::int[]) AS wanted (id)
      CROSS JOIN LATERAL (${run('wanted.id')} LIMIT 1) AS head ORDER BY ${ordered('head', direction)} LIMIT ${limit}),
    chosen AS (
      SELECT found.seq, found.log FROM nearest CROSS JOIN LATERAL (${run('nearest.id')} LIMIT ${limit}) AS found
      ORDER BY ${ordered('found', direction)} LIMIT ${limit})
    SELECT ${FOUND} FROM chosen JOIN activity a USING (seq, log) JOIN activity_facet f ON f.id = a.facet_id
    ORDER BY ${ordered('chosen', direction)}`;
}

/** Those that the index of words finds. Where it is asked for few, or for what is seldom, this is the way. */
export function wordPage(plan: PgPlan, stretch: Stretch, values: Values): string {
  const { direction } = stretch;
  return `WITH found AS MATERIALIZED (
      SELECT t.seq, t.log FROM activity_text t WHERE t.words @@ ${values.of(plan.query)}::tsquery AND ${within('t', stretch, values)})
    SELECT ${FOUND} FROM found JOIN activity a USING (seq, log) JOIN activity_facet f ON f.id = a.facet_id
    WHERE ${inFacets(plan, values)} AND ${tests(plan, values)} ORDER BY ${ordered('found', direction)} LIMIT ${values.of(stretch.limit)}`;
}

/** The same for a short stretch, record by record and without the index. */
export function wordWalk(plan: PgPlan, stretch: Stretch, values: Values): string {
  return `SELECT ${FOUND} FROM (
      SELECT t.seq, t.log FROM activity_text t WHERE ${within('t', stretch, values)} AND t.words @@ ${values.of(plan.query)}::tsquery
      ORDER BY ${ordered('t', stretch.direction)} OFFSET 0) AS found
    JOIN activity a USING (seq, log) JOIN activity_facet f ON f.id = a.facet_id
    WHERE ${inFacets(plan, values)} AND ${tests(plan, values)} ORDER BY ${ordered('found', stretch.direction)} LIMIT ${values.of(stretch.limit)}`;
}

/** The place that lies some records further on. */
export function placeBeyond(stretch: Stretch, records: number, values: Values): string {
  return `SELECT t.seq, t.log FROM activity_text t WHERE ${within('t', stretch, values)}
    ORDER BY ${ordered('t', stretch.direction)} OFFSET ${values.of(records)} LIMIT 1`;
}

function inFacets({ facets }: PgPlan, values: Values): string {
  return `a.facet_id = ANY (${values.of(facets.map(({ id }) => id))}::int[])`;
}

/** Those of a few facets that hold the words. */
export function fewPage(plan: PgPlan, stretch: Stretch, values: Values): string {
  return `SELECT ${FOUND} FROM activity a JOIN activity_facet f ON f.id = a.facet_id JOIN activity_text t ON t.seq = a.seq AND t.log = a.log
    WHERE ${inFacets(plan, values)} AND ${within('a', stretch, values)} AND ${tests(plan, values)}
      AND t.words @@ ${values.of(plan.query)}::tsquery
    ORDER BY ${ordered('a', stretch.direction)} LIMIT ${values.of(stretch.limit)}`;
}
