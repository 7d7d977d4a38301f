/**
 * Finds a count that does not agree with the records. Counts per facet are the numbers of summaries and lists, those per hour and minute the
 * charts. Each query returns nothing if they agree. Read in one snapshot with the records.
 */
const ALL = 'n_read + n_write + n_destructive + n_other + n_decisions';
const HOUR = 3_600_000;

const differing = (key: string, sides: readonly string[]) =>
  `SELECT ${key} FROM (${sides.join(' UNION ALL ')}) AS both_sides GROUP BY ${key} HAVING sum(n) <> 0 LIMIT 1`;

const charts = (divide: string) => [
  differing('at', [
    `SELECT at, ${ALL} AS n FROM activity_hour`,
    `SELECT ts / ${HOUR} AS at, -count(*) AS n FROM activity GROUP BY 1`,
  ]),
  differing('at', [
    `SELECT at, ${ALL} AS n FROM activity_hour`,
    `SELECT ${divide} AS at, -(${ALL}) AS n FROM activity_minute`,
  ]),
];

const RECORDS = 'SELECT facet_id, -count(*) AS n FROM activity GROUP BY facet_id';

export const WRONG_COUNTS = {
  sqlite: [
    ...[0, 1].map((level) =>
      differing('facet_id', [`SELECT facet_id, n FROM activity_count WHERE level = ${level}`, RECORDS]),
    ),
    ...charts('at / 60'),
  ],
  postgres: [
    ...['activity_count_all', 'activity_count_day', 'activity_count_hour'].map((table) =>
      differing('facet_id', [`SELECT facet_id, n FROM ${table}`, RECORDS]),
    ),
    ...charts('at / 60'),
  ],
} as const;
