import type { PostgresDatabase } from '../../../db/index.ts';
import type { StoredEnds } from '../../restore/rollback.ts';
import { STATEMENTS, endOf } from '../../restore/stored-ends.ts';
import type { LogRow } from '../../verify/verification.ts';

/** The ends of the logs on a PostgreSQL server, without logs that are still being moved here. */
export async function readPgStoredEnds({ pool }: Pick<PostgresDatabase, 'pool'>): Promise<StoredEnds> {
  const { rows } = await pool.query<LogRow & { last: number | null; entries: string[] }>(
    `SELECT l.*, (SELECT max(n) FROM activity_journal j WHERE j.log = l.log) AS last,
       ARRAY (SELECT entry FROM activity_journal j WHERE j.log = l.log AND seq IS NULL
         ORDER BY n DESC LIMIT ${STATEMENTS}) AS entries
     FROM activity_log l WHERE incoming = 0 ORDER BY log`,
  );
  return {
    ends: rows.map(({ last, entries, ...log }) =>
      endOf(
        log,
        last ?? undefined,
        entries.map((entry) => ({ entry })),
      ),
    ),
    async hashAt(id, n) {
      const found = await pool.query<{ hash: string }>(
        'SELECT hash FROM activity_journal JOIN activity_log USING (log) WHERE log_id = $1 AND n = $2',
        [id, n],
      );
      return found.rows[0]?.hash;
    },
  };
}
