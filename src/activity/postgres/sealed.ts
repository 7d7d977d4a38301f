import type { PostgresDatabase } from '../../db/postgres-database.ts';
import { COLUMNS } from '../stored-row.ts';
import type { Tombstone } from '../seal.ts';
import { openSnapshot, type Snapshot } from './snapshot.ts';

/** The logs of all writers as lines of JSON, as on SQLite. The keys stand first, as one writer may sign in the log of another. */
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
  const records = await snapshot.countRecords();
  const keys = [...new Set(logs.map((log) => log.public_key))];
  yield JSON.stringify({ format: 'mcpproxy-sealed-1', records, columns: COLUMNS, keys });
  for (const facet of await snapshot.facets()) yield JSON.stringify({ facet });
  for (const { log, log_id: id, public_key: key, base } of logs) {
    const start = base === null ? null : (JSON.parse(base) as Tombstone);
    yield JSON.stringify({ log: id, public_key: key, base: start });
    for await (const slice of snapshot.entries(log))
      for (const [n, seq, entry, hash, ...row] of slice)
        yield JSON.stringify({ n, seq, entry, hash, row: row[0] === null ? null : row });
  }
}
