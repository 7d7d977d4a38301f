import type { PostgresDatabase } from '../../../db/index.ts';
import type { ChainItem } from '../../verify/check-chain.ts';
import type { LogRow } from '../../verify/verification.ts';
import { headLine, logLines, signingKeys } from '../../export/sealed-line.ts';
import { itemOf, loadFacets, openSnapshot, type Snapshot } from '../read/snapshot.ts';

/** Runs work right after the chain of this writer was signed, before anything more is added to it. */
export type AtSignedEnd = <T>(work: () => Promise<T>) => Promise<T>;

/** The logs of all writers as lines of JSON, as on SQLite. The chains of other writers may end with entries that are not signed yet. */
export async function* sealedOnPostgres(
  db: Pick<PostgresDatabase, 'newClient'>,
  atSignedEnd: AtSignedEnd,
): AsyncGenerator<string> {
  const { snapshot, end } = await openSnapshot(db);
  try {
    // The first question fixes what the snapshot sees.
    yield* lines(snapshot, await atSignedEnd(() => snapshot.logs()));
  } finally {
    await end();
  }
}

async function* lines(snapshot: Snapshot, logs: readonly LogRow[]): AsyncGenerator<string> {
  const facets = await loadFacets(snapshot);
  const keys = await signingKeys(logs, ({ log }) => snapshot.statements(log));
  yield headLine(await snapshot.countRecords(), keys);
  const items = async function* (log: LogRow): AsyncGenerator<ChainItem> {
    for await (const slice of snapshot.entries(log.log))
      for (const values of slice) yield itemOf(values, facets);
  };
  for (const log of logs) yield* logLines(log, items(log));
}
