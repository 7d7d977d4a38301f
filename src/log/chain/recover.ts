import type { SqliteDatabase } from '../../db/index.ts';
import type { Chain } from './chain.ts';
import { newSalt } from './hash-chain.ts';
import type { Counts } from '../counts/counts.ts';
import type { Facets } from '../counts/facets.ts';
import type { ActivityRow } from '../record/row.ts';

const BATCH = 200;
export const ABANDONED = 'mcpproxy ended while the call was running; whether it took effect is not known';

/** Closes records that an earlier process left open. Returns their number. */
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
      await db.writes.add({ run: () => void (closed = closeSome(open)) });
      total += closed;
    } while (closed > 0);
  }
  return total;
}

/**
 * Adds records to the chain that were written before it existed. Done once, when the first log of a database is created: later, a record
 * without an entry is one that was inserted by somebody else.
 */
export async function adoptRecords(parts: {
  db: SqliteDatabase;
  facets: Facets;
  chain: Chain;
}): Promise<number> {
  const { db, facets, chain } = parts;
  const some = db.sqlite.prepare(
    'SELECT * FROM activity WHERE salt IS NULL AND seq > ? ORDER BY seq LIMIT ?',
  );
  const salt = db.sqlite.prepare('UPDATE activity SET salt = ? WHERE seq = ?');
  let total = 0;
  let last = -1;
  for (;;) {
    const rows = some.all(last, BATCH) as ActivityRow[];
    if (rows.length === 0) return total;
    await db.write(() => {
      const salted = rows.map((row) => ({ ...row, salt: newSalt() }));
      for (const row of salted) salt.run(row.salt, row.seq);
      for (const row of salted) {
        const facet = facets.get(row.facet_id);
        if (facet) chain.append(facet.status === 'pending' ? 'opened' : 'adopted', row, facet);
      }
    });
    total += rows.length;
    last = rows.at(-1)!.seq;
    await new Promise(setImmediate);
  }
}
