import type pg from 'pg';
import type { PostgresDatabase } from '../../../db/index.ts';
import type { ChainItem } from '../../verify/check-chain.ts';
import { COLUMNS, type SealedFacet, type Values, rowOf } from '../../record/row.ts';
import { STATEMENTS_READ, type Statement } from '../../export/sealed-line.ts';
import type { LogRow } from '../../verify/verification.ts';

/** Everything as it is at one moment, read in portions through a connection of its own; without logs that are still being moved here. */
export interface Snapshot {
  readonly client: pg.Client;
  logs(): Promise<LogRow[]>;
  facets(): Promise<Array<Omit<SealedFacet, 'unlisted'> & { id: number; unlisted: number }>>;
  /** Of all logs that are not still being moved here, or of these. */
  countRecords(only?: ReadonlySet<string>): Promise<number>;
  /** The entries of a log in order: number, record, entry and hash, then the columns of the record. */
  entries(log: number): AsyncGenerator<Values[]>;
  /** The last entries of a log that are not about a record. */
  statements(log: number): Promise<Statement[]>;
}

export async function loadFacets(snapshot: Snapshot): Promise<Map<unknown, SealedFacet>> {
  const rows = await snapshot.facets();
  return new Map(rows.map(({ id, unlisted, ...facet }) => [id, { ...facet, unlisted: unlisted === 1 }]));
}

/** An entry of `entries` with the record that it is about. */
export function itemOf(values: Values, facets: ReadonlyMap<unknown, SealedFacet>): ChainItem {
  const row = values[4] === null ? null : rowOf(values);
  const [n, seq, entry, hash] = values as [number, number | null, unknown, unknown];
  return { n, seq, entry, hash, row, facet: facets.get(row?.facet_id) };
}

/** As many as make up this much text: some records are a thousand times as large as others. */
const CHARACTERS = 4_194_304;
const MAX_SLICE = 1000;
const FIRST_SLICE = 50;

export async function openSnapshot(
  db: Pick<PostgresDatabase, 'newClient'>,
): Promise<{ snapshot: Snapshot; end: () => Promise<void> }> {
  const client = db.newClient({ statementMs: 0, answerMs: 0 });
  client.on('error', () => {}); // the running statement is rejected with the same error
  // A connection that cannot be closed any more is gone already.
  const end = () => client.end().catch(() => {});
  try {
    await client.connect();
    // A slow reader keeps the transaction open; when the reader disconnects, it ends.
    await client.query('SET idle_in_transaction_session_timeout = 0');
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    return { snapshot: snapshotOf(client), end };
  } catch (error) {
    await end();
    throw error;
  }
}

export async function inSnapshot<T>(
  db: Pick<PostgresDatabase, 'newClient'>,
  work: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  const { snapshot, end } = await openSnapshot(db);
  try {
    return await work(snapshot);
  } finally {
    await end();
  }
}

function snapshotOf(client: pg.Client): Snapshot {
  return {
    client,
    logs: async () =>
      (await client.query<LogRow>('SELECT * FROM activity_log WHERE incoming = 0 ORDER BY log')).rows,
    facets: async () =>
      (
        await client.query<Omit<SealedFacet, 'unlisted'> & { id: number; unlisted: number }>(
          'SELECT id, type, source, status, operation_type, server_name, tool_name, unlisted, other_operations FROM activity_facet ORDER BY id',
        )
      ).rows,
    async countRecords(only) {
      const { rows } = await client.query<{ n: number }>(
        `SELECT count(*) AS n FROM activity WHERE log NOT IN (
           SELECT log FROM activity_log WHERE incoming = 1 OR NOT (log_id = ANY (coalesce($1::text[], ARRAY[log_id]))))`,
        [only ? [...only] : null],
      );
      return rows[0]!.n;
    },
    entries: (log) => entriesOf(client, log),
    statements: async (log) =>
      (
        await client.query<Statement>(
          `SELECT n, entry FROM activity_journal WHERE log = $1 AND seq IS NULL ORDER BY n DESC LIMIT ${STATEMENTS_READ}`,
          [log],
        )
      ).rows,
  };
}

/** The next portion is on its way while one is looked at. */
async function* entriesOf(client: pg.Client, log: number): AsyncGenerator<Values[]> {
  const read = async (after: number, most: number) => {
    const { rows } = await client.query<Values>({
      name: 'activity-entries',
      text: `SELECT j.n, j.seq, j.entry, j.hash, ${COLUMNS.map((name) => `a.${name}`).join()}
        FROM activity_journal j LEFT JOIN activity a ON a.seq = j.seq AND a.log = coalesce(j.of_log, j.log)
        WHERE j.log = $1 AND j.n > $2 ORDER BY j.n LIMIT $3`,
      values: [log, after, most],
      rowMode: 'array',
    });
    return { rows, more: rows.length === most };
  };
  for (let coming = read(-1, FIRST_SLICE); ;) {
    const { rows, more } = await coming;
    if (more) {
      coming = read(rows.at(-1)![0] as number, sliceAfter(rows));
      coming.catch(() => {}); // the error is thrown where the slice is awaited
    }
    yield rows;
    if (!more) return;
  }
}

function sliceAfter(rows: readonly Values[]): number {
  const characters = rows.reduce((sum, row) => sum + lengthOf(row), 0);
  return Math.max(1, Math.min(MAX_SLICE, Math.floor((rows.length * CHARACTERS) / Math.max(1, characters))));
}

const lengthOf = (row: Values) =>
  row.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 8), 0);
