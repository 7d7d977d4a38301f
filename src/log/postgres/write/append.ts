import type pg from 'pg';
import { HEADS } from '../../../db/index.ts';
import { SERIES_COUNTERS } from '../../counts/series-window.ts';
import { COLUMNS } from '../../record/row.ts';
import type { Deltas } from './deltas.ts';

type Column = (typeof COLUMNS)[number];
const TYPES: Partial<Record<Column, string>> = {
  seq: 'BIGINT',
  facet_id: 'INTEGER',
  ts: 'BIGINT',
  duration_ms: 'DOUBLE PRECISION',
  response_truncated: 'INTEGER',
};
const typed = (names: readonly Column[]) =>
  names.map((name) => `${name} ${TYPES[name] ?? 'TEXT'}`).join(', ');

/** What may differ once a record has ended. */
export const CHANGING = [
  'facet_id',
  'server_name',
  'tool_name',
  'duration_ms',
  'error_code',
  'error_message',
  'response_truncated',
  'metadata',
  'response',
] as const satisfies Column[];

const SERIES = SERIES_COUNTERS.map((name) => `n_${name}`);
const addSeries = (table: string, parameter: string) => `
  INSERT INTO ${table} (at, log, ${SERIES.join()})
  SELECT at, $1::int, ${SERIES.join()}
  FROM json_to_recordset(${parameter}::json) AS s (at INTEGER, ${SERIES.map((name) => `${name} BIGINT`).join(', ')})
  ON CONFLICT (at, log) DO UPDATE SET ${SERIES.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join()}`;

const addCounts = (table: string, parameter: string) => `
  INSERT INTO ${table} (bucket, facet_id, log, n)
  SELECT bucket, facet_id, $1::int, n FROM json_to_recordset(${parameter}::json) AS c (bucket INTEGER, facet_id INTEGER, n INTEGER)
  ON CONFLICT (bucket, facet_id, log) DO UPDATE SET n = ${table}.n + excluded.n`;

/** Counts move with the transaction, in rows that only this writer changes. Six parameters, of which this is the first. */
const counting = (first: number) => `
  by_hour AS (${addCounts('activity_count_hour', `$${first}`)}),
  by_day AS (${addCounts('activity_count_day', `$${first + 1}`)}),
  in_all AS (
    INSERT INTO activity_count_all (facet_id, log, n)
    SELECT facet_id, $1::int, n FROM json_to_recordset($${first + 2}::json) AS c (facet_id INTEGER, n BIGINT)
    ON CONFLICT (facet_id, log) DO UPDATE SET n = activity_count_all.n + excluded.n),
  minutes AS (${addSeries('activity_minute', `$${first + 3}`)}),
  hours AS (${addSeries('activity_hour', `$${first + 4}`)}),
  size AS (
    INSERT INTO activity_size (log, bytes) SELECT $1::int, $${first + 5}::bigint WHERE $${first + 5}::bigint <> 0
    ON CONFLICT (log) DO UPDATE SET bytes = activity_size.bytes + excluded.bytes)`;

/** The values of those parameters. */
export function countValues(deltas: Deltas): Array<string | number> {
  const { byHour, byDay, inAll, minutes, hours, bytes } = deltas.toJson();
  return [byHour, byDay, inAll, minutes, hours, bytes];
}

/** Adds the counts to those of the given log. */
export async function storeCounts(client: pg.Client, log: number, deltas: Deltas): Promise<void> {
  await client.query(`WITH ${counting(2)} SELECT 1`, [log, ...countValues(deltas)]);
}

const linking = (parameter: string) => `
  INSERT INTO activity_journal (log, n, seq, entry, hash)
  SELECT $1::int, n, seq, entry, hash
  FROM json_to_recordset(${parameter}::json) AS l (n BIGINT, seq BIGINT, entry TEXT, hash TEXT)`;

/** Parameters: log, links. Two who continue the same chain from the same place cannot both succeed. */
export const LINK = linking('$2');

const wording = (parameter: string) => `
  INSERT INTO activity_text (seq, log, words)
  SELECT seq, $1::int, array_to_tsvector(string_to_array(words, ' '))
  FROM json_to_recordset(${parameter}::json) AS w (seq BIGINT, words TEXT)
  ON CONFLICT (seq, log) DO UPDATE SET words = excluded.words`;

/** Parameters: log, words. */
export const WORD = wording('$2');

/**
 * Each row of `e` with the place of the record that it is about, looked up by key, one by one. Left to itself, the planner would read all
 * records while it takes the table for an empty one.
 */
export const located = (e: string, as: string) => `
  SELECT e.*, (SELECT x.ctid FROM activity x WHERE x.seq = e.seq AND x.log = $1::int AND x.${as}) AS place FROM ${e} OFFSET 0`;

/**
 * A whole group in one statement, which is one round trip and one transaction: new records, ends of records, entries of the chain, words
 * and counts. It returns what is newest of the configuration, the tokens and the decisions on tools, as of its begin. It fails as a whole where the end of a record does not find the record as it was: then somebody else has changed it.
 * Parameters: log, rows, ends, number of ends, links, words, and those of the counts.
 */
export const APPEND = `
  WITH rows AS (
    INSERT INTO activity (log, ${COLUMNS.join()})
    SELECT $1::int, ${COLUMNS.join()} FROM json_to_recordset($2::json) AS r (${typed(COLUMNS)})),
  ends AS (
    UPDATE activity a SET ${CHANGING.map((name) => `${name} = e.${name}`).join()}
    FROM (${located(`json_to_recordset($3::json) AS e (seq BIGINT, before INTEGER, ${typed(CHANGING)})`, 'facet_id = e.before')}) AS e
    WHERE a.ctid = e.place RETURNING a.seq),
  links AS (${linking('$5')}),
  words AS (${wording('$6')}),
  ${counting(7)}
  SELECT 1 / (CASE WHEN (SELECT count(*) FROM ends) = $4::bigint THEN 1 ELSE 0 END) AS whole,
    ${HEADS}`;

/** Records that are there already stay as they are; gives those that were not. Parameters: log, rows. */
export const INSERT_ROWS = `
  INSERT INTO activity (log, ${COLUMNS.join()})
  SELECT $1::int, ${COLUMNS.join()} FROM json_to_recordset($2::json) AS r (${typed(COLUMNS)})
  ON CONFLICT (seq, log) DO NOTHING RETURNING seq`;

/** Division by zero: the ends did not all find their record. */
export const NOT_WHOLE = '22012';
