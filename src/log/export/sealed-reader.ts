import { DatabaseSync } from '@photostructure/sqlite';
import { foreignInSqlite, WHO_COLUMNS, WRONG_WHO } from '../../db/index.ts';
import { collectSoon } from '../../load/index.ts';
import { LOG_SPAN } from '../chain/chain.ts';
import { STATEMENTS_READ, type Statement, headLine, logLines, signingKeys } from './sealed-line.ts';
import { type ActivityRow, COLUMNS, type SealedFacet, type Values, rowOf } from '../record/row.ts';
import type { ChainItem } from '../verify/check-chain.ts';
import { WRONG_COUNTS } from '../verify/compare-counts.ts';
import type { StopSignal } from '../verify/stop.ts';
import type { LogRow } from '../verify/verification.ts';

/** Entries after one and up to another, at most `limit`. */
export interface EntryRange {
  after: number;
  upTo: number;
  limit: number;
}

/** Reads a log for verification through its own connection. Each call sees one state of the database. */
export interface SealedReader {
  logs(): LogRow[];
  /** The number of the last entry of each log, by the number of the log. */
  ends(): Map<number, number>;
  /** Entries after one and up to another, in order, at most `limit`, each with the record that it is about. */
  items(log: number, range: EntryRange): ChainItem[];
  /** The last entries of a log that are not about a record. */
  statements(log: number): Statement[];
  /** Undefined where there is no such entry. */
  hashOf(log: number, n: number): unknown;
  /** A record with its facet. */
  record(seq: number | null): { row: ActivityRow | null; facet: SealedFacet | undefined };
  /** Counts in chunks, so that it can be stopped. */
  countRecords(signal?: StopSignal): number;
  /** A record whose columns do not follow from it. Searched in chunks too. */
  findWrongColumns(signal?: StopSignal): { id: unknown } | undefined;
  /** Whether the counts are those of the records. */
  countsAgree(): boolean | undefined;
  /** A record without a chain entry. */
  findUnsealed(): { id: unknown } | undefined;
  /** A trigger, view or the like that mcpproxy did not make. */
  findForeign(): string | undefined;
  /** From here on all calls see the same snapshot. */
  hold(): void;
  close(): void;
}

const COUNTED_AT_ONCE = 50_000;

export function openSealedReader(file: string): SealedReader {
  const sqlite = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
  try {
    return readerOf(sqlite);
  } catch (cause) {
    sqlite.close();
    throw cause;
  }
}

/** Of a log without entries: where retention has ended it. */
export function lastEntryOf(reader: SealedReader, { log, base }: LogRow): number {
  const first = base === null ? 0 : (JSON.parse(base) as { n: number }).n;
  return reader.ends().get(log) || first;
}

function readerOf(sqlite: Connection): SealedReader {
  sqlite.exec('PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON');
  const sql = prepare(sqlite);
  let facets = new Map<unknown, SealedFacet>();

  function facetOf(row: ActivityRow | null): SealedFacet | undefined {
    if (!row) return undefined;
    // A new one is stored with the first record that needs it.
    if (!facets.has(row.facet_id)) facets = loadFacets(sqlite);
    return facets.get(row.facet_id);
  }

  return {
    logs: () => sqlite.prepare('SELECT * FROM activity_log ORDER BY log').all() as LogRow[],
    ends() {
      const rows = sql.ends.all() as unknown as Array<{ log: number; n: number }>;
      return new Map(rows.map(({ log, n }) => [log, n]));
    },
    items(log, { after, upTo, limit }) {
      const low = log * LOG_SPAN;
      const last = Math.min(low + upTo, low + LOG_SPAN - 1);
      return (sql.items.all(low + after, last, limit) as unknown as Values[]).map((values) => {
        const [pos, seq, entry, hash] = values as [number, number | null, unknown, unknown];
        const row = values[4] === null ? null : rowOf(values);
        return { n: pos - low, seq, entry, hash, row, facet: facetOf(row) };
      });
    },
    statements: (log) =>
      (
        sql.statements.all(log * LOG_SPAN, (log + 1) * LOG_SPAN) as Array<{ pos: number; entry: unknown }>
      ).map(({ pos, entry }) => ({ n: pos - log * LOG_SPAN, entry })),
    hashOf: (log, n) => (sql.hash.get(log * LOG_SPAN + n) as { hash: unknown } | undefined)?.hash,
    record(seq) {
      const values = sql.one.get(seq) as unknown as Values | undefined;
      const row = values ? rowOf(values) : null;
      return { row, facet: facetOf(row) };
    },
    countRecords(signal) {
      let total = 0;
      for (let after = -Infinity; ;) {
        const { n, last } = sql.count.get(after) as { n: number; last: number | null };
        total += n;
        if (n < COUNTED_AT_ONCE) return total;
        after = last!;
        signal?.throwIfAborted();
      }
    },
    findWrongColumns(signal) {
      const search = prepareWrong(sqlite);
      if (!search) return undefined;
      for (let after = -Infinity; ;) {
        const { wrong, n, last } = search.get(after) as { wrong: unknown; n: number; last: number | null };
        if (wrong !== null) return { id: wrong };
        if (n < COUNTED_AT_ONCE) return undefined;
        after = last!;
        signal?.throwIfAborted();
      }
    },
    countsAgree() {
      try {
        return WRONG_COUNTS.sqlite.every((query) => sqlite.prepare(query).get() === undefined);
      } catch {
        return undefined; // a file of an earlier version has other tables
      }
    },
    findUnsealed: () => sql.unsealed.get() as { id: unknown } | undefined,
    findForeign: () => foreignInSqlite(sqlite),
    hold: () => sqlite.exec('BEGIN'),
    close: () => closeReader(sqlite),
  };
}

type Connection = InstanceType<typeof DatabaseSync>;

/** Closed connections hold two file descriptors each until they are garbage collected. */
const MOST_UNCOLLECTED = 32;
let uncollected = 0;

/**
 * The transaction is ended first: with statements that nobody has collected yet, SQLite keeps a closed connection alive, and an open one
 * would hold the write-ahead log for as long. Nor are many left lying: they would use up the descriptors of the process.
 */
export function closeReader(sqlite: Connection): void {
  if (++uncollected >= MOST_UNCOLLECTED) {
    uncollected = 0;
    collectSoon();
  }
  try {
    if (sqlite.isTransaction) sqlite.exec('ROLLBACK');
    sqlite.close();
  } catch {
    // The connection only reads, so nothing is lost.
  }
}

function prepare(sqlite: Connection) {
  const row = COLUMNS.map((name) => `a.${name}`).join();
  const range = 'pos > CAST(? AS INTEGER) AND pos <= CAST(? AS INTEGER) ORDER BY pos LIMIT ?';
  const arrays = { returnArrays: true };
  return {
    ends: sqlite.prepare(`
      SELECT log, coalesce((SELECT max(pos) FROM activity_journal
        WHERE pos >= log * ${LOG_SPAN} AND pos < (log + 1) * ${LOG_SPAN}), log * ${LOG_SPAN}) - log * ${LOG_SPAN} AS n
      FROM activity_log`),
    hash: sqlite.prepare('SELECT hash FROM activity_journal WHERE pos = ?'),
    items: sqlite.prepare(
      `SELECT j.pos, j.seq, j.entry, j.hash, ${row}
       FROM activity_journal j LEFT JOIN activity a ON a.seq = j.seq WHERE ${range}`,
      arrays,
    ),
    statements: sqlite.prepare(
      `SELECT pos, entry FROM activity_journal WHERE pos >= CAST(? AS INTEGER) AND pos < CAST(? AS INTEGER) AND seq IS NULL
       ORDER BY pos DESC LIMIT ${STATEMENTS_READ}`,
    ),
    one: sqlite.prepare(`SELECT 0, 0, 0, 0, ${row} FROM activity a WHERE seq = ?`, arrays),
    count: sqlite.prepare(
      `SELECT count(*) AS n, max(seq) AS last FROM (
         SELECT seq FROM activity NOT INDEXED WHERE seq > ? ORDER BY seq LIMIT ${COUNTED_AT_ONCE})`,
    ),
    unsealed: sqlite.prepare(
      `SELECT id FROM activity NOT INDEXED WHERE seq NOT IN (SELECT seq FROM activity_journal WHERE seq IS NOT NULL)
       ORDER BY seq LIMIT 1`,
    ),
  };
}

/** Undefined for a file of an earlier version, which has no such columns. */
function prepareWrong(sqlite: Connection) {
  const names = sqlite.prepare(`SELECT name FROM pragma_table_xinfo('activity')`).all() as Array<{
    name: string;
  }>;
  if (!WHO_COLUMNS.every((column) => names.some(({ name }) => name === column))) return undefined;
  return sqlite.prepare(
    `SELECT min(CASE WHEN ${WRONG_WHO.sqlite} THEN id END) AS wrong, count(*) AS n, max(seq) AS last FROM (
       SELECT * FROM activity NOT INDEXED WHERE seq > ? ORDER BY seq LIMIT ${COUNTED_AT_ONCE})`,
  );
}

function loadFacets(sqlite: Connection): Map<unknown, SealedFacet> {
  const rows = sqlite.prepare('SELECT * FROM activity_facet').all() as unknown as Array<
    Omit<SealedFacet, 'unlisted'> & { id: number; unlisted: number }
  >;
  return new Map(rows.map(({ id, unlisted, ...facet }) => [id, { ...facet, unlisted: unlisted === 1 }]));
}

const SLICE = 200;

/**
 * The log as lines of JSON, for a verifier that has nothing but this file; what each line holds, `sealed-line.ts` says. The log is that of
 * the moment in which the first line is asked for.
 */
export async function* sealedLines(file: string): AsyncGenerator<string> {
  const reader = openSealedReader(file);
  try {
    reader.hold();
    const logs = reader.logs();
    const keys = await signingKeys(logs, async ({ log }) => reader.statements(log));
    yield headLine(reader.countRecords(), keys);
    for (const log of logs) yield* logLines(log, itemsOf(reader, log.log));
  } finally {
    reader.close();
  }
}

async function* itemsOf(reader: SealedReader, log: number): AsyncGenerator<ChainItem> {
  for (let after = -1; ;) {
    const items = reader.items(log, { after, upTo: LOG_SPAN, limit: SLICE });
    yield* items;
    if (items.length < SLICE) return;
    after = items.at(-1)!.n;
    await new Promise(setImmediate);
  }
}
