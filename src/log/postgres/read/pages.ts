import { type ActivityRow, COLUMNS, type FacetKey } from '../../record/row.ts';
import { columnCondition, facetConditions, rowConditions } from './conditions.ts';
import { type Values } from './sql-values.ts';
import type { PgPlan } from './plan.ts';

export type Direction = 'newest' | 'oldest';

/** A place in the order of records: by number, then by log. */
export interface RecordPosition {
  seq: number;
  log: number;
}

export interface PageBounds {
  /** Both exclusive. */
  after: RecordPosition;
  before: RecordPosition;
  direction: Direction;
  limit: number;
  /** Without payloads. */
  isLight?: boolean;
}

export interface PageRequest {
  plan: PgPlan;
  bounds: PageBounds;
  values: Values;
}

/** The statement that reads a page. */
export type Page = (request: PageRequest) => string;

/** A record with its facet, as a page is read. */
export type FoundRow = ActivityRow &
  RecordPosition &
  Pick<FacetKey, 'type' | 'source' | 'status' | 'operation_type' | 'other_operations'> & {
    facet_server: string | null;
    facet_tool: string | null;
    unlisted: number;
    /** How many the index of words found, where it was asked. */
    held?: number;
  };

const PAYLOADS: ReadonlySet<string> = new Set(['arguments', 'response']);
const foundColumns = (
  isLight: boolean,
) => `a.log, ${COLUMNS.map((name) => (isLight && PAYLOADS.has(name) ? `NULL::text AS ${name}` : `a.${name}`)).join()},
  f.type, f.source, f.status, f.operation_type, f.other_operations, f.server_name AS facet_server, f.tool_name AS facet_tool, f.unlisted`;
export const FOUND = foundColumns(false);
const LIGHT = foundColumns(true);

const ordered = (table: string, direction: Direction) =>
  direction === 'newest' ? `${table}.seq DESC, ${table}.log DESC` : `${table}.seq, ${table}.log`;

function within(table: string, { after, before }: PageBounds, values: Values): string {
  return `(${table}.seq, ${table}.log) > (${values.of(after.seq)}::bigint, ${values.of(after.log)}::int)
    AND (${table}.seq, ${table}.log) < (${values.of(before.seq)}::bigint, ${values.of(before.log)}::int)`;
}

/** Everything that a record must fulfil beside its place and its facet. Where the clock went back, its number does not tell its time. */
export function tests(plan: PgPlan, values: Values): string {
  const conditions = rowConditions(plan.filter, values);
  return plan.needsTimeTest ? `${conditions} AND ${timeTest(plan, values)}` : conditions;
}

const END_OF_TIME = 8.64e15;

function timeTest({ span }: PgPlan, values: Values): string {
  const [from, to] = [Math.max(span.from, -END_OF_TIME), Math.min(span.to, END_OF_TIME)];
  return `a.ts BETWEEN ${values.of(from)} AND ${values.of(to)}`;
}

/** Reads the records of places one by one, until there are enough: left to itself, the planner might read all records in between. */
function recordsAt(places: string, { plan, bounds, values }: PageRequest, also = ''): string {
  const conditions = `a.seq = found.seq AND a.log = found.log AND ${facetConditions(plan.filter, values)} AND ${tests(plan, values)}`;
  return `SELECT record.*${also} FROM (${places}) AS found CROSS JOIN LATERAL (
      SELECT ${bounds.isLight === true ? LIGHT : FOUND} FROM activity a JOIN activity_facet f ON f.id = a.facet_id WHERE ${conditions} OFFSET 0) AS record
    ORDER BY ${ordered('found', bounds.direction)} LIMIT ${values.of(bounds.limit)}`;
}

/** All records of a bounds. */
export function anyPage(request: PageRequest): string {
  const { bounds, values } = request;
  const { direction } = bounds;
  const places = `SELECT a.seq, a.log FROM activity a WHERE ${within('a', bounds, values)} ORDER BY ${ordered('a', direction)}`;
  return recordsAt(places, request);
}

/** Those that conditions on the record itself decide: several values, or none of them. */
export function testedPage(request: PageRequest): string {
  const { plan, bounds, values } = request;
  const conditions = [within('a', bounds, values), facetConditions(plan.filter, values), tests(plan, values)];
  const places = `SELECT a.seq, a.log FROM activity a JOIN activity_facet f ON f.id = a.facet_id
    WHERE ${conditions.join(' AND ')} ORDER BY ${ordered('a', bounds.direction)} LIMIT ${values.of(bounds.limit)}`;
  return recordsAt(places, request);
}

/** Those of a column about who did what. */
export function columnPage(request: PageRequest): string {
  const { plan, bounds, values } = request;
  const conditions = [columnCondition(plan.filter, values), within('a', bounds, values)];
  if (plan.filter.q !== undefined) conditions.push(holdsWords(plan, values));
  const places = `SELECT a.seq, a.log FROM activity a WHERE ${conditions.join(' AND ')} ORDER BY ${ordered('a', bounds.direction)}`;
  return recordsAt(places, request);
}

export const holdsWords = ({ query }: PgPlan, values: Values): string => `EXISTS (
  SELECT 1 FROM activity_text t WHERE t.seq = a.seq AND t.log = a.log AND t.words @@ ${values.of(query)}::tsquery)`;

/** The same, of the first few places alone. Where most records match, that is enough. */
export function walkPage(places: number): Page {
  return (request) => {
    const { bounds, values } = request;
    const { direction } = bounds;
    const first = `SELECT a.seq, a.log FROM activity a WHERE ${within('a', bounds, values)}
      ORDER BY ${ordered('a', direction)} LIMIT ${values.of(places)}`;
    return recordsAt(first, request);
  };
}

/**
 * Those of some facets, each read from its own run of the index. A page of fifty comes from the fifty facets with the nearest record, so
 * the others are only looked at once, however many there are.
 */
export function facetPage(request: PageRequest): string {
  const { plan, bounds, values } = request;
  const { direction } = bounds;
  const limit = values.of(bounds.limit);
  // A record's own names need no test: unlisted ones are found by the index of words.
  const time = plan.needsTimeTest ? `AND ${timeTest(plan, values)}` : '';
  const run = (facet: string) => `
    SELECT a.seq, a.log FROM activity a
    WHERE a.facet_id = ${facet} AND ${within('a', bounds, values)} ${time} ORDER BY ${ordered('a', direction)}`;
  const places = `WITH wanted AS MATERIALIZED (SELECT f.id FROM activity_facet f WHERE ${facetConditions(plan.filter, values)}),
    nearest AS MATERIALIZED (
      SELECT wanted.id FROM wanted CROSS JOIN LATERAL (${run('wanted.id')} LIMIT 1) AS head
      ORDER BY ${ordered('head', direction)} LIMIT ${limit})
    SELECT run.seq, run.log FROM nearest CROSS JOIN LATERAL (${run('nearest.id')} LIMIT ${limit}) AS run
    ORDER BY ${ordered('run', direction)} LIMIT ${limit}`;
  return recordsAt(places, request);
}

/** Those that the index of words finds. Where it is asked for few, or for what is seldom, this is the way. */
export function wordPage(request: PageRequest): string {
  const { plan, bounds, values } = request;
  const places = `WITH held AS MATERIALIZED (
      SELECT t.seq, t.log FROM activity_text t WHERE t.words @@ ${values.of(plan.query)}::tsquery AND ${within('t', bounds, values)})
    SELECT seq, log, (SELECT count(*) FROM held) AS held FROM held ORDER BY ${ordered('held', bounds.direction)}`;
  return recordsAt(places, request, ', found.held');
}

/** The same of the first few places, record by record and without the index. Words that many records hold are found so. */
export function wordWalk(places: number): Page {
  return (request) => {
    const { plan, bounds, values } = request;
    const { direction } = bounds;
    const first = `SELECT t.seq, t.log FROM (
        SELECT t.seq, t.log, t.words FROM activity_text t WHERE ${within('t', bounds, values)}
        ORDER BY ${ordered('t', direction)} LIMIT ${values.of(places)}) AS t
      WHERE t.words @@ ${values.of(plan.query)}::tsquery ORDER BY ${ordered('t', direction)}`;
    return recordsAt(first, request);
  };
}

/** Those of facets with few records that hold the words. */
export function selectivePage(request: PageRequest): string {
  const { plan, bounds, values } = request;
  const { direction } = bounds;
  const places = `WITH wanted AS MATERIALIZED (SELECT f.id FROM activity_facet f WHERE ${facetConditions(plan.filter, values)}),
    few AS MATERIALIZED (
      SELECT run.seq, run.log FROM wanted CROSS JOIN LATERAL (
        SELECT a.seq, a.log FROM activity a WHERE a.facet_id = wanted.id AND ${within('a', bounds, values)} OFFSET 0) AS run)
    SELECT few.seq, few.log FROM few CROSS JOIN LATERAL (
      SELECT 1 FROM activity_text t WHERE t.seq = few.seq AND t.log = few.log AND t.words @@ ${values.of(plan.query)}::tsquery OFFSET 0) AS t
    ORDER BY ${ordered('few', direction)}`;
  return recordsAt(places, request);
}
