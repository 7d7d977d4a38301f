import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import type { ActivityVerification } from '../contract/activity.ts';
import { LOG_SPAN } from './chain.ts';
import type { ChainCheck, Problem } from './check-chain.ts';
import type { SealedFacet } from './seal.ts';
import { COLUMNS, rowOf, type Values } from './stored-row.ts';
import {
  unknown,
  verifyStore,
  witnessesOf,
  type LogRow,
  type SealedStore,
  type VerifyOptions,
} from './verification.ts';

/** Entries per slice; others get their turn after each. */
const SLICE = 200;

/**
 * Reads the whole log through a connection of its own, in one snapshot, so that calls go on meanwhile. A database that cannot be read is
 * neither intact nor a reason to fall over: then nothing can be said.
 */
export async function verifyLog(options: VerifyOptions & { file: string }): Promise<ActivityVerification> {
  let sqlite: DatabaseSyncInstance | undefined;
  try {
    const witnesses = witnessesOf(options);
    sqlite = new DatabaseSync(options.file, { readOnly: true, timeout: 5000 });
    sqlite.exec('PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; BEGIN');
    return await verifyStore(snapshotOf(sqlite, options.signal), options, witnesses);
  } catch (cause) {
    return unknown(`the log cannot be read: ${(cause as Error).message}`);
  } finally {
    try {
      // A statement that is not collected yet would keep the snapshot, and with it the write-ahead log.
      if (sqlite?.isTransaction) sqlite.exec('ROLLBACK');
      sqlite?.close();
    } catch {
      // Nothing was written, so nothing is lost.
    }
  }
}

function snapshotOf(sqlite: DatabaseSyncInstance, signal: AbortSignal | undefined): SealedStore {
  let facets: Map<unknown, SealedFacet> | undefined;
  return {
    logs: async () => sqlite.prepare('SELECT * FROM activity_log ORDER BY log').all() as LogRow[],
    walk: (log, check) => walk(sqlite, log, (facets ??= loadFacets(sqlite)), check, signal),
    async countRecords() {
      return (sqlite.prepare('SELECT count(*) AS n FROM activity NOT INDEXED').get() as { n: number }).n;
    },
    findUnsealed: async () =>
      sqlite
        .prepare(
          `SELECT id FROM activity NOT INDEXED WHERE seq NOT IN (SELECT seq FROM activity_journal WHERE seq IS NOT NULL)
           ORDER BY seq LIMIT 1`,
        )
        .get() as { id: unknown } | undefined,
  };
}

async function walk(
  sqlite: DatabaseSyncInstance,
  { log }: LogRow,
  facets: Map<unknown, SealedFacet>,
  check: ChainCheck,
  signal: AbortSignal | undefined,
): Promise<Problem | null> {
  const some = sqlite.prepare(
    `SELECT j.pos, j.seq, j.entry, j.hash, ${COLUMNS.map((name) => `a.${name}`).join()}
     FROM activity_journal j LEFT JOIN activity a ON a.seq = j.seq
     WHERE j.pos >= CAST(? AS INTEGER) AND j.pos < CAST(? AS INTEGER) ORDER BY j.pos LIMIT ?`,
    { returnArrays: true },
  );
  for (let from = log * LOG_SPAN; ;) {
    const rows = some.all(from, (log + 1) * LOG_SPAN, SLICE) as unknown as Values[];
    for (const values of rows) {
      const row = values[4] === null ? null : rowOf(values);
      const facet = facets.get(row?.facet_id);
      const [pos, seq, entry, hash] = values as [number, number | null, unknown, unknown];
      const bad = check.take({ n: pos - log * LOG_SPAN, seq, entry, hash, row, facet });
      if (bad) return bad;
    }
    if (rows.length < SLICE) return null;
    from = (rows.at(-1)![0] as number) + 1;
    await new Promise(setImmediate);
    signal?.throwIfAborted();
  }
}

function loadFacets(sqlite: DatabaseSyncInstance): Map<unknown, SealedFacet> {
  const rows = sqlite.prepare('SELECT * FROM activity_facet').all() as unknown as Array<
    Omit<SealedFacet, 'unlisted'> & { id: number; unlisted: number }
  >;
  return new Map(rows.map(({ id, unlisted, ...facet }) => [id, { ...facet, unlisted: unlisted === 1 }]));
}
