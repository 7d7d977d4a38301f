import type { ActivityVerification } from '../../../contract/activity.ts';
import { errorReason, foreignInPostgres, WRONG_WHO, type PostgresDatabase } from '../../../db/index.ts';
import type { ChainCheck } from '../../verify/check-chain.ts';
import { WRONG_COUNTS } from '../../verify/compare-counts.ts';
import type { Problem } from '../../verify/claim.ts';
import type { SealedFacet } from '../../record/row.ts';
import { unknownVerdict } from '../../verify/report.ts';
import type { StopSignal } from '../../verify/stop.ts';
import {
  verifyStore,
  readHeads,
  readWitnesses,
  type SealedStore,
  type VerifyOptions,
} from '../../verify/verification.ts';
import type { KnownWriters } from '../write/known-writers.ts';
import { inSnapshot, itemOf, loadFacets, type Snapshot } from '../read/snapshot.ts';

/** If the database cannot be read, the verdict is unknown. */
export async function verifyOnPostgres(
  db: Pick<PostgresDatabase, 'newClient'>,
  writers: KnownWriters | undefined,
  options: VerifyOptions,
): Promise<ActivityVerification> {
  try {
    const [witnesses, heads] = [readWitnesses(options), readHeads(options)];
    return await inSnapshot(db, async (snapshot) => {
      // A verification writes nothing: a writer that is new since the last look is noted by the upkeep.
      const pinned = (await writers?.pinnedKeys(await snapshot.logs())) ?? new Map();
      return verifyStore(storeOf(snapshot, options), { ...options, pinned, heads }, witnesses);
    });
  } catch (cause) {
    return unknownVerdict(`the log cannot be read: ${errorReason(cause)}`);
  }
}

function storeOf(snapshot: Snapshot, { signal, only }: VerifyOptions): SealedStore {
  let facets: Promise<Map<unknown, SealedFacet>> | undefined;
  return {
    logs: () => snapshot.logs(),
    countRecords: () => snapshot.countRecords(only),
    async hashAt({ log }, n) {
      const { rows } = await snapshot.client.query<{ hash: string }>(
        'SELECT hash FROM activity_journal WHERE log = $1 AND n = $2',
        [log, n],
      );
      return rows[0]?.hash;
    },
    async lastEntry({ log, base }) {
      const { rows } = await snapshot.client.query<{ n: number | null }>(
        'SELECT max(n) AS n FROM activity_journal WHERE log = $1',
        [log],
      );
      return rows[0]?.n ?? (base === null ? 0 : (JSON.parse(base) as { n: number }).n);
    },
    walk: async ({ log }, check) =>
      walk(snapshot, log, { facets: await (facets ??= loadFacets(snapshot)), check, signal }),
    async findWrongColumns() {
      const { rows } = await snapshot.client.query<{ id: string }>(
        `SELECT id FROM activity WHERE ${WRONG_WHO.postgres} LIMIT 1`,
      );
      return rows[0];
    },
    async countsAgree() {
      // Another verification of the copy would count the rest; a log that is still being moved here is counted at the end.
      if (only || (await hasIncoming(snapshot))) return undefined;
      for (const query of WRONG_COUNTS.postgres)
        if ((await snapshot.client.query(query)).rows.length > 0) return false;
      return true;
    },
    findForeign: () => foreignInPostgres(snapshot.client),
    async findUnsealed() {
      const { rows } = await snapshot.client.query<{ id: string }>(
        `SELECT id FROM activity a WHERE NOT EXISTS (SELECT 1 FROM activity_journal j WHERE j.log = a.log AND j.seq = a.seq)
         ORDER BY seq, log LIMIT 1`,
      );
      return rows[0];
    },
  };
}

async function hasIncoming({ client }: Snapshot): Promise<boolean> {
  return (await client.query('SELECT 1 FROM activity_log WHERE incoming = 1 LIMIT 1')).rows.length > 0;
}

interface Walk {
  facets: Map<unknown, SealedFacet>;
  check: ChainCheck;
  signal: StopSignal | undefined;
}

async function walk(
  snapshot: Snapshot,
  log: number,
  { facets, check, signal }: Walk,
): Promise<Problem | null> {
  for await (const slice of snapshot.entries(log)) {
    for (const values of slice) {
      const bad = check.take(itemOf(values, facets));
      if (bad) return bad;
    }
    signal?.throwIfAborted();
  }
  return null;
}
