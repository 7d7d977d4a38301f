import { COUNTED } from '../series-window.ts';
import { COLUMNS } from '../stored-row.ts';

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

const SERIES = COUNTED.map((name) => `n_${name}`);
const addSeries = (table: string, parameter: string) => `
  INSERT INTO ${table} (at, log, ${SERIES.join()})
  SELECT at, $1::int, ${SERIES.join()}
  FROM json_to_recordset(${parameter}::json) AS s (at INTEGER, ${SERIES.map((name) => `${name} BIGINT`).join(', ')})
  ON CONFLICT (at, log) DO UPDATE SET ${SERIES.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join()}`;

/** Counts move with the transaction, in rows that only this writer changes. The last one is to be used or to stand alone. */
const counting = (counts: string, minutes: string, hours: string, bytes: string) => `
  minutes AS (${addSeries('activity_minute', minutes)}),
  hours AS (${addSeries('activity_hour', hours)}),
  size AS (
    INSERT INTO activity_size (log, bytes) SELECT $1::int, ${bytes}::bigint WHERE ${bytes}::bigint <> 0
    ON CONFLICT (log) DO UPDATE SET bytes = activity_size.bytes + excluded.bytes),
  counts AS (
    INSERT INTO activity_count (level, bucket, facet_id, log, n)
    SELECT level, bucket, facet_id, $1::int, n
    FROM json_to_recordset(${counts}::json) AS c (level SMALLINT, bucket INTEGER, facet_id INTEGER, n BIGINT)
    ON CONFLICT (level, bucket, facet_id, log) DO UPDATE SET n = activity_count.n + excluded.n)`;

/** Parameters: who counts, counts, minutes, hours, bytes. */
export const COUNT = `WITH ${counting('$2', '$3', '$4', '$5')} SELECT 1`;

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
 * A whole group in one statement, which is one round trip and one transaction: new records, ends of records, entries of the chain, words
 * and counts. It fails as a whole where the end of a record does not find the record as it was: then somebody else has changed it.
 * Parameters: log, rows, ends, number of ends, links, words, counts, minutes, hours, bytes.
 */
export const APPEND = `
  WITH rows AS (
    INSERT INTO activity (log, ${COLUMNS.join()})
    SELECT $1::int, ${COLUMNS.join()} FROM json_to_recordset($2::json) AS r (${typed(COLUMNS)})),
  ends AS (
    UPDATE activity a SET ${CHANGING.map((name) => `${name} = e.${name}`).join()}
    FROM json_to_recordset($3::json) AS e (seq BIGINT, before INTEGER, ${typed(CHANGING)})
    WHERE a.seq = e.seq AND a.log = $1::int AND a.facet_id = e.before RETURNING a.seq),
  links AS (${linking('$5')}),
  words AS (${wording('$6')}),
  ${counting('$7', '$8', '$9', '$10')}
  SELECT 1 / (CASE WHEN (SELECT count(*) FROM ends) = $4::bigint THEN 1 ELSE 0 END) AS whole`;

/** Division by zero: the ends did not all find their record. */
export const NOT_WHOLE = '22012';
