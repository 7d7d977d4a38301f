import { statements } from '../statements.ts';

/**
 * Decisions of people on approval requests are counted separately from calls. Earlier versions counted them under the operation of the
 * call; this corrects the counts per minute and hour. The records do not change, because the chain covers them.
 */
const OPERATIONS = ['read', 'write', 'destructive'];
const less = (condition: string) => `-sum(CASE WHEN ${condition} THEN 1 ELSE 0 END)`;
const PERSON = `f.source <> 'system'`;

const SUMS: ReadonlyArray<[column: string, sum: string]> = [
  ...OPERATIONS.map((name): [string, string] => [`n_${name}`, less(`f.operation_type = '${name}'`)]),
  ['n_other', `sum(CASE WHEN ${PERSON} THEN 0 ELSE 1 END)`],
  ['n_refused', less(`${PERSON} AND f.status IN ('refused', 'denied', 'expired')`)],
  ['n_errors', less(`${PERSON} AND f.status IN ('error', 'unknown')`)],
  ['n_decisions', `sum(CASE WHEN ${PERSON} THEN 1 ELSE 0 END)`],
];

const UNITS = [
  ['activity_minute', 60_000],
  ['activity_hour', 3_600_000],
] as const;

/** `key`: what a row of the counts stands for beside its time. */
function move(table: string, unitMs: number, key: readonly string[]): string {
  const names = SUMS.map(([name]) => name);
  const own = key.map((name) => `a.${name}, `).join('');
  return `INSERT INTO ${table} (at, ${[...key, ...names].join(', ')})
    SELECT a.ts / ${unitMs}, ${own}${SUMS.map(([, sum]) => sum).join(', ')}
    FROM activity_facet f JOIN activity a ON a.facet_id = f.id
    WHERE f.type = 'approval' AND f.operation_type IS NOT NULL GROUP BY ${['1', ...key.map((name) => `a.${name}`)].join(', ')}
    ON CONFLICT (${['at', ...key].join(', ')}) DO UPDATE SET ${names.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(', ')}`;
}

const counts = (type: string, key: readonly string[]) =>
  UNITS.flatMap(([table, unitMs]) => [
    `ALTER TABLE ${table} ADD COLUMN n_decisions ${type} NOT NULL DEFAULT 0`,
    move(table, unitMs, key),
  ]);

/** The search index now includes callers and clients; existing records are reindexed in the background. */
export const decisionsOnSqlite = statements([
  ...counts('INTEGER', []),
  `INSERT OR IGNORE INTO activity_reindex
   SELECT seq FROM activity WHERE seq <= (SELECT value FROM activity_state WHERE key = 'indexed_to')`,
]);

/** On PostgreSQL likewise: `words_form` says whether all records are indexed in the present form, which is 2. */
export const decisionsOnPostgres = statements([
  ...counts('BIGINT', ['log']),
  `INSERT INTO activity_state (key, value)
   SELECT 'words_form', CASE WHEN EXISTS (SELECT 1 FROM activity) THEN 1 ELSE 2 END`,
]);
