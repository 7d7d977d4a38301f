import type { PostgresDatabase } from '../../../db/index.ts';
import { factOf, headOf, type FactRow, type Facts, type HeadRow } from '../../record/facts.ts';
import { ACTIVITY_CHANNEL } from '../write/announce.ts';

const endOf = (order: 'ASC' | 'DESC') =>
  `(SELECT entry FROM activity_journal j WHERE j.log = l.log ORDER BY n ${order} LIMIT 1)`;

export function createPgFacts({ pool, onNotify }: Pick<PostgresDatabase, 'pool' | 'onNotify'>): Facts {
  return {
    async after({ log, n }, limit) {
      const { rows } = await pool.query<FactRow>({
        name: 'activity-facts',
        text: `SELECT j.n, j.entry, f.type, f.source, f.operation_type, f.status,
            f.server_name, f.tool_name, f.unlisted
          FROM activity_log l JOIN activity_journal j ON j.log = l.log
          JOIN activity a ON a.seq = j.seq AND a.log = coalesce(j.of_log, j.log) JOIN activity_facet f ON f.id = a.facet_id
          WHERE l.log_id = $1 AND j.n > $2 ORDER BY j.n LIMIT $3`,
        values: [log, n, limit],
      });
      return rows.map((row) => factOf(log, row));
    },
    async heads() {
      const { rows } = await pool.query<HeadRow>(
        `SELECT log_id AS log, base, ${endOf('DESC')} AS last, ${endOf('ASC')} AS oldest FROM activity_log l ORDER BY l.log`,
      );
      return rows.map(headOf);
    },
    // Also told to the one who speaks, so it tells of every writer.
    onGrown: (listener) => onNotify(ACTIVITY_CHANNEL, () => listener()),
  };
}
