import type { PostgresDatabase } from '../../../db/index.ts';
import { entryLine, headLine, logLine, signingKeys } from '../../export/sealed-line.ts';
import { itemOf, loadFacets, openSnapshot, type Snapshot } from '../read/snapshot.ts';

/** The logs of all writers as lines of JSON, as on SQLite. */
export async function* sealedOnPostgres(db: Pick<PostgresDatabase, 'newClient'>): AsyncGenerator<string> {
  const { snapshot, end } = await openSnapshot(db);
  try {
    yield* lines(snapshot);
  } finally {
    await end();
  }
}

async function* lines(snapshot: Snapshot): AsyncGenerator<string> {
  const logs = await snapshot.logs();
  const facets = await loadFacets(snapshot);
  const keys = await signingKeys(logs, ({ log }) => snapshot.statements(log));
  yield headLine(await snapshot.countRecords(), keys);
  for (const log of logs) {
    yield logLine(log);
    for await (const slice of snapshot.entries(log.log))
      for (const values of slice) yield entryLine(itemOf(values, facets));
  }
}
