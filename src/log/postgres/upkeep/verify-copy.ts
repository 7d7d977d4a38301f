import type { ActivityVerification } from '../../../contract/activity.ts';
import { foreignInSqlite, openBackup } from '../../../db/index.ts';
import { COLUMNS, type SealedFacet, type Values } from '../../record/row.ts';
import type { ChainCheck } from '../../verify/check-chain.ts';
import type { Problem } from '../../verify/claim.ts';
import { unknownVerdict } from '../../verify/report.ts';
import {
  readWitnesses,
  verifyStore,
  type LogRow,
  type SealedStore,
  type VerifyOptions,
} from '../../verify/verification.ts';
import { itemOf } from '../read/snapshot.ts';
import type { KnownWriters } from '../write/known-writers.ts';

type Copy = ReturnType<typeof openBackup>;

const SLICE = 200;

/** Verifies the log in a back-up of a PostgreSQL database, which has the same tables in an SQLite file. */
export async function verifyPostgresCopy(
  path: string,
  writers: KnownWriters,
  options: VerifyOptions,
): Promise<ActivityVerification> {
  const witnesses = readWitnesses(options);
  const copy = openBackup(path);
  try {
    const logs = logsOf(copy);
    const pinned = await writers.pinnedKeys(logs);
    return await verifyStore(storeOf(copy, options), { ...options, pinned }, witnesses);
  } catch (cause) {
    options.signal?.throwIfAborted();
    return unknownVerdict(`the log cannot be read: ${(cause as Error).message}`);
  } finally {
    copy.close();
  }
}

const logsOf = (copy: Copy) =>
  copy.prepare('SELECT * FROM activity_log WHERE incoming = 0 ORDER BY log').all() as unknown as LogRow[];

function storeOf(copy: Copy, { signal, foreign }: VerifyOptions): SealedStore {
  const facets = facetsOf(copy);
  const entries = copy.prepare(
    `SELECT j.n, j.seq, j.entry, j.hash, ${COLUMNS.map((name) => `a.${name}`).join()}
     FROM activity_journal j LEFT JOIN activity a ON a.seq = j.seq AND a.log = coalesce(j.of_log, j.log)
     WHERE j.log = ? AND j.n > ? ORDER BY j.n LIMIT ${SLICE}`,
    { returnArrays: true },
  );
  return {
    logs: async () => logsOf(copy),
    async countRecords() {
      const counted = copy.prepare(
        'SELECT count(*) AS n FROM activity WHERE log NOT IN (SELECT log FROM activity_log WHERE incoming = 1)',
      );
      return (counted.get() as { n: number }).n;
    },
    async hashAt({ log }, n) {
      const found = copy.prepare('SELECT hash FROM activity_journal WHERE log = ? AND n = ?').get(log, n);
      return (found as { hash: unknown } | undefined)?.hash;
    },
    async lastEntry({ log, base }) {
      const last = copy.prepare('SELECT max(n) AS n FROM activity_journal WHERE log = ?').get(log);
      const { n } = last as { n: number | null };
      return n ?? (base === null ? 0 : (JSON.parse(base) as { n: number }).n);
    },
    async walk({ log }: LogRow, check: ChainCheck): Promise<Problem | null> {
      for (let after = -1; ;) {
        const rows = entries.all(log, after) as unknown as Values[];
        for (const values of rows) {
          const bad = check.take(itemOf(values, facets));
          if (bad) return bad;
        }
        if (rows.length < SLICE) return null;
        after = rows.at(-1)![0] as number;
        await new Promise(setImmediate);
        signal?.throwIfAborted();
      }
    },
    findForeign: async () => foreign ?? foreignInSqlite(copy),
    findUnsealed: async () =>
      copy
        .prepare(
          `SELECT id FROM activity a WHERE NOT EXISTS (
             SELECT 1 FROM activity_journal j WHERE j.seq = a.seq AND coalesce(j.of_log, j.log) = a.log)
           ORDER BY seq, log LIMIT 1`,
        )
        .get() as { id: unknown } | undefined,
  };
}

function facetsOf(copy: Copy): Map<unknown, SealedFacet> {
  const rows = copy.prepare('SELECT * FROM activity_facet').all() as unknown as Array<
    Omit<SealedFacet, 'unlisted'> & { id: number; unlisted: number }
  >;
  return new Map(rows.map(({ id, unlisted, ...facet }) => [id, { ...facet, unlisted: unlisted === 1 }]));
}
