import type { SqliteDatabase } from '../../db/index.ts';
import type { Chain } from '../chain/chain.ts';
import type { Facets } from '../counts/facets.ts';
import type { ActivityRow } from './activity-row.ts';
import { newSalt } from '../chain/seal.ts';

const BATCH = 200;

/**
 * Takes records into the chain that were written before there was one. Done once, when the first log of a database begins: later, a record
 * without an entry is one that somebody slipped in.
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
