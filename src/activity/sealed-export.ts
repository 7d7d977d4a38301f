import { DatabaseSync } from '@photostructure/sqlite';
import { LOG_SPAN } from './chain.ts';
import { closeReader } from './sealed-reader.ts';
import type { Tombstone } from './seal.ts';
import { COLUMNS, type Values } from './stored-row.ts';

const SLICE = 200;

/**
 * The log as lines of JSON, for a verifier that has nothing but this file: first what the logs are, then the facets, then each entry with
 * the record that it is about, as both are stored.
 */
export async function* sealedLines(file: string): AsyncGenerator<string> {
  const sqlite = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
  try {
    sqlite.exec('PRAGMA trusted_schema = OFF; BEGIN');
    const logs = sqlite.prepare('SELECT * FROM activity_log ORDER BY log').all() as unknown as Array<{
      log: number;
      log_id: string;
      public_key: string;
      base: string | null;
    }>;
    const { n: records } = sqlite.prepare('SELECT count(*) AS n FROM activity NOT INDEXED').get() as {
      n: number;
    };
    yield JSON.stringify({ format: 'mcpproxy-sealed-1', records, columns: COLUMNS });
    for (const facet of sqlite.prepare('SELECT * FROM activity_facet').iterate())
      yield JSON.stringify({ facet });
    for (const { log, log_id: id, public_key: key, base } of logs) {
      yield JSON.stringify({
        log: id,
        public_key: key,
        base: base === null ? null : (JSON.parse(base) as Tombstone),
      });
      yield* entriesOf(sqlite, log);
    }
  } finally {
    closeReader(sqlite);
  }
}

async function* entriesOf(sqlite: InstanceType<typeof DatabaseSync>, log: number): AsyncGenerator<string> {
  const some = sqlite.prepare(
    `SELECT j.pos, j.seq, j.entry, j.hash, ${COLUMNS.map((name) => `a.${name}`).join()}
     FROM activity_journal j LEFT JOIN activity a ON a.seq = j.seq
     WHERE j.pos >= CAST(? AS INTEGER) AND j.pos < CAST(? AS INTEGER) ORDER BY j.pos LIMIT ?`,
    { returnArrays: true },
  );
  for (let from = log * LOG_SPAN; ;) {
    const rows = some.all(from, (log + 1) * LOG_SPAN, SLICE) as unknown as Values[];
    for (const [pos, seq, entry, hash, ...row] of rows)
      yield JSON.stringify({
        n: (pos as number) - log * LOG_SPAN,
        seq,
        entry,
        hash,
        row: row[0] === null ? null : row,
      });
    if (rows.length < SLICE) return;
    from = (rows.at(-1)![0] as number) + 1;
    await new Promise(setImmediate);
  }
}
