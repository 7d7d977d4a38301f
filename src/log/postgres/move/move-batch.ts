import type pg from 'pg';
import type { SqliteDatabase } from '../../../db/index.ts';
import { LOG_SPAN } from '../../chain/chain.ts';
import type { StoredFacet } from '../../record/entry.ts';
import { keyText } from '../../counts/facets.ts';
import { type ActivityRow, COLUMNS, type FacetKey, type Values, rowOf } from '../../record/row.ts';
import type { LogRow } from '../../verify/verification.ts';
import { INSERT_ROWS, storeCounts, WORD } from '../write/append.ts';
import { bytesOf, createDeltas } from '../write/deltas.ts';
import { makeFacets } from '../write/facets.ts';
import { indexedWords } from '../write/words.ts';

export interface Batches {
  /** Moves the entries that follow, with the records that they are about, in one transaction; gives the last one that is there now. */
  move(move: { source: LogRow; target: number }, after: number): Promise<number>;
}

export interface BatchParts {
  client: pg.Client;
  from: SqliteDatabase;
  /** Numbers of the logs, there by here. */
  logs: ReadonlyMap<number, number>;
  batch?: number | undefined;
}

interface Item {
  n: number;
  seq: number | null;
  entry: string;
  hash: string;
  row: ActivityRow | null;
}

const MAX_ENTRIES = 1000;
const MAX_CHARACTERS = 4_194_304;

export async function createBatches({
  client,
  from,
  logs,
  batch = MAX_ENTRIES,
}: BatchParts): Promise<Batches> {
  const facets = await moveFacets(client, from);
  const select = from.sqlite.prepare(
    `SELECT j.pos, j.seq, j.entry, j.hash, ${COLUMNS.map((name) => `a.${name}`).join()}
     FROM activity_journal j LEFT JOIN activity a ON a.seq = j.seq
     WHERE j.pos > CAST(? AS INTEGER) AND j.pos < CAST(? AS INTEGER) ORDER BY j.pos LIMIT ?`,
    { returnArrays: true },
  );

  /** As many as make up a message that is not too long. */
  function read(log: number, after: number): Item[] {
    const items: Item[] = [];
    let characters = 0;
    const low = log * LOG_SPAN;
    for (const values of select.iterate(low + after, low + LOG_SPAN, batch) as Iterable<Values>) {
      const [pos, seq, entry, hash] = values as [number, number | null, string, string];
      const row = values[4] === null ? null : rowOf(values.map(storable));
      items.push({ n: pos - low, seq, entry, hash, row });
      characters += values.reduce<number>((sum, value) => sum + String(value ?? '').length, 0);
      if (characters > MAX_CHARACTERS) break;
    }
    return items;
  }

  /** Records that belong to a log which was moved before: a lost key begins a new log, which ends what the old one left open. */
  async function elsewhere(items: readonly Item[], own: number): Promise<Map<number, number>> {
    const others = [...logs.values()].filter((log) => log !== own);
    if (others.length === 0) return new Map();
    const seqs = items.flatMap(({ seq }) => (seq === null ? [] : [seq]));
    const { rows } = await client.query<{ seq: number; log: number }>(
      'SELECT seq, log FROM activity WHERE seq = ANY ($1::bigint[]) AND log = ANY ($2::int[])',
      [seqs, others],
    );
    return new Map(rows.map(({ seq, log }) => [seq, log]));
  }

  async function storeRows(target: number, rows: ActivityRow[]): Promise<void> {
    const inserted = await client.query<{ seq: number }>(INSERT_ROWS, [target, JSON.stringify(rows)]);
    const fresh = new Set(inserted.rows.map(({ seq }) => seq));
    const deltas = createDeltas();
    const words = rows.flatMap((row) => {
      if (!fresh.has(row.seq)) return [];
      const facet = facets.byId.get(row.facet_id);
      if (!facet) return [];
      deltas.move(row.ts, null, facet);
      deltas.grow(bytesOf(row));
      return [{ seq: row.seq, words: indexedWords(row, facet) }];
    });
    await client.query(WORD, [target, JSON.stringify(words)]);
    await storeCounts(client, target, deltas);
  }

  async function store(target: number, items: readonly Item[]): Promise<void> {
    const others = await elsewhere(items, target);
    const links = items.map(({ n, seq, entry, hash }) => {
      const of = seq === null ? undefined : others.get(seq);
      return { n, seq, entry, hash, ...(of !== undefined && { of_log: of }) };
    });
    await client.query(INSERT_LINKS, [target, JSON.stringify(links)]);
    // A record with several entries comes with the first of them, as it is now.
    const rows = new Map<number, ActivityRow>();
    for (const { row } of items)
      if (row && !others.has(row.seq)) rows.set(row.seq, { ...row, facet_id: facets.idOf(row.facet_id) });
    await storeRows(target, [...rows.values()]);
  }

  return {
    async move({ source, target }, after) {
      const items = read(source.log, after);
      await client.query('BEGIN');
      try {
        await store(target, items);
        await client.query('COMMIT');
      } catch (error) {
        // The error of the batch is reported; a lost connection rolls back by itself.
        await client.query('ROLLBACK').catch(() => {});
        throw error;
      }
      return items.at(-1)!.n;
    },
  };
}

const INSERT_LINKS = `
  INSERT INTO activity_journal (log, n, seq, of_log, entry, hash)
  SELECT $1::int, n, seq, of_log, entry, hash
  FROM json_to_recordset($2::json) AS l (n BIGINT, seq BIGINT, of_log INTEGER, entry TEXT, hash TEXT)`;

/** All facets at once: there are few, and each may be needed. */
async function moveFacets(
  client: pg.Client,
  { sqlite }: SqliteDatabase,
): Promise<{ byId: Map<number, StoredFacet>; idOf: (source: number) => number }> {
  const rows = sqlite.prepare('SELECT * FROM activity_facet').all() as Array<
    FacetKey & { id: number; unlisted: number }
  >;
  const keys = rows.map(({ id: _id, unlisted, ...key }) => ({ ...key, unlisted: unlisted === 1 }));
  const made = await makeFacets(client, keys);
  const byKey = new Map(made.map((facet) => [keyText(facet, facet.unlisted), facet.id]));
  const ids = new Map(rows.map((row) => [row.id, byKey.get(keyText(row, row.unlisted === 1))!]));
  return {
    byId: new Map(made.map((facet) => [facet.id, facet])),
    // What points nowhere goes on pointing nowhere, so that verify finds it there too.
    idOf: (source) => ids.get(source) ?? -1,
  };
}

/** We write no such character; what somebody else wrote in our place must not end the move, and is found by verify. */
const storable = (value: Values[number]) =>
  typeof value === 'string' ? value.replaceAll('\0', '\ufffd') : value;
