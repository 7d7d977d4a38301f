import { statements } from '../statements.ts';

/**
 * A repeated or refused attempt to decide has decided nothing, so the counts per minute and hour have it among the others. The records do
 * not change, because the chain covers them.
 */
const EARLIER_DECISION = `(f.type = 'approval' AND f.operation_type IS NOT NULL AND f.source <> 'system')`;
const EARLIER_ASSISTANT = `(f.type = 'decision' AND f.unlisted = 0 AND f.server_name IS NULL AND f.tool_name IS NULL)`;
const WITHOUT_EFFECT = `f.status <> 'success' AND (${EARLIER_DECISION} OR (f.type = 'decision' AND NOT ${EARLIER_ASSISTANT}))`;

const count = (...statuses: string[]) =>
  `sum(CASE WHEN f.status IN (${statuses.map((each) => `'${each}'`).join(', ')}) THEN 1 ELSE 0 END)`;

const SUMS: ReadonlyArray<[column: string, sum: string]> = [
  ['n_decisions', '-count(*)'],
  ['n_other', 'count(*)'],
  ['n_refused', count('refused', 'denied', 'expired')],
  ['n_errors', count('error', 'unknown')],
];
const ZEROS = ['n_read', 'n_write', 'n_destructive'];

/** `key`: what a row of the counts stands for beside its time. */
function move(table: string, unitMs: number, key: readonly string[]): string {
  const names = SUMS.map(([name]) => name);
  const own = key.map((name) => `a.${name}`);
  return `INSERT INTO ${table} (${['at', ...key, ...names, ...ZEROS].join(', ')})
    SELECT ${[`a.ts / ${unitMs}`, ...own, ...SUMS.map(([, sum]) => sum), ...ZEROS.map(() => '0')].join(', ')}
    FROM activity_facet f JOIN activity a ON a.facet_id = f.id
    WHERE ${WITHOUT_EFFECT} GROUP BY ${['1', ...own].join(', ')}
    ON CONFLICT (${['at', ...key].join(', ')}) DO UPDATE SET ${names.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(', ')}`;
}

const moves = (key: readonly string[]) => [
  move('activity_minute', 60_000, key),
  move('activity_hour', 3_600_000, key),
];

export const repeatedDecisionsOnSqlite = statements(moves([]));
export const repeatedDecisionsOnPostgres = statements(moves(['log']));
