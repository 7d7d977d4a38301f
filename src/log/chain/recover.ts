import type { SqliteDatabase } from '../../db/index.ts';
import type { Chain } from './chain.ts';
import type { Counts } from '../counts/counts.ts';
import type { Facets } from '../counts/facets.ts';
import type { ActivityRow } from '../record/activity-row.ts';

const BATCH = 200;
export const ABANDONED = 'mcpproxy ended while the call was running; whether it took effect is not known';

/** Records that a process which is gone has left open: nobody will close them any more. Gives their number. */
export async function closeAbandoned({
  db,
  facets,
  counts,
  chain,
}: {
  db: SqliteDatabase;
  facets: Facets;
  counts: Counts;
  chain: Chain;
}): Promise<number> {
  const some = db.sqlite.prepare('SELECT * FROM activity WHERE facet_id = ? LIMIT ?');
  const close = db.sqlite.prepare(
    `UPDATE activity SET facet_id = ?, error_code = 'OUTCOME_UNKNOWN', error_message = ? WHERE seq = ?`,
  );
  const reindex = db.sqlite.prepare('INSERT OR IGNORE INTO activity_reindex VALUES (?)');
  let total = 0;

  const closeSome = (open: ReturnType<Facets['of']>) => {
    const unknown = open.unlisted
      ? facets.unlistedLike({ ...open, status: 'unknown' })
      : facets.of({ ...open, status: 'unknown' }, true);
    facets.store(unknown);
    const rows = some.all(open.id, BATCH) as ActivityRow[];
    for (const row of rows) {
      close.run(unknown.id, ABANDONED, row.seq);
      reindex.run(row.seq);
      counts.move(row, open, unknown);
      const closed = {
        ...row,
        facet_id: unknown.id,
        error_code: 'OUTCOME_UNKNOWN',
        error_message: ABANDONED,
      };
      chain.append('recovered', closed, unknown);
    }
    return rows.length;
  };

  for (const open of [...facets.all()].filter(({ status, n }) => status === 'pending' && n > 0)) {
    let closed: number;
    do {
      closed = 0;
      await db.writes.add({ run: () => void (closed = closeSome(open)) }, 'now');
      total += closed;
    } while (closed > 0);
  }
  return total;
}
