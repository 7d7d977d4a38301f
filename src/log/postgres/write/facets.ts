import type pg from 'pg';
import { areNamesKnown, type Entry, type StoredFacet } from '../../record/entry.ts';
import { keyText, MAX_NAMES, MAX_UNKNOWN_NAMES, nameText, pickKey } from '../../counts/facets.ts';
import type { FacetKey } from '../../record/row.ts';
import { sha256 } from '../../chain/hash-chain.ts';

/** The facets that this writer has used. Each facet has one number, which the database assigns when the first writer creates it. */
export interface WriterFacets {
  /** The facet of an entry as it is now; undefined where it must be made first. */
  of(entry: Entry<StoredFacet>): StoredFacet | undefined;
  /** Makes those that are missing. Afterwards `of` finds them. */
  make(client: Queryable, entries: ReadonlyArray<Entry<StoredFacet>>): Promise<void>;
  /** The facet that a record moves to when it becomes `unknown`. */
  unknownLike(client: Queryable, facet: StoredFacet): Promise<StoredFacet>;
  get(client: Queryable, id: number): Promise<StoredFacet | undefined>;
  /** The database has lost some of them, and may give their numbers to others: all are read again. */
  renew(client: Queryable): Promise<void>;
}

type Queryable = Pick<pg.ClientBase, 'query'>;
type Row = FacetKey & { id: number; unlisted: number };
export type Wanted = FacetKey & { unlisted: boolean };

const COLUMNS =
  'id, type, source, status, operation_type, server_name, tool_name, unlisted, other_operations';
const ATTEMPTS = 5;
const NONE: ReadonlySet<string> = new Set();

export async function createWriterFacets(first: Queryable): Promise<WriterFacets> {
  const byKey = new Map<string, StoredFacet>();
  const byId = new Map<number, StoredFacet>();
  const names = new Set<string>();
  let newest = 0;

  function keep(facet: StoredFacet): void {
    byKey.set(keyText(facet, facet.unlisted), facet);
    byId.set(facet.id, facet);
    if (facet.tool_name !== null || facet.server_name !== null) names.add(nameText(facet));
    newest = Math.max(newest, facet.id);
  }

  /** What others have made meanwhile counts towards the bound on names. */
  async function refresh(client: Queryable): Promise<void> {
    const { rows } = await client.query<Row>(`SELECT ${COLUMNS} FROM activity_facet WHERE id > $1`, [newest]);
    for (const row of rows) keep(facetOf(row));
  }

  function isListed(key: FacetKey, known: boolean, more: ReadonlySet<string>): boolean {
    if (key.tool_name === null && key.server_name === null) return true;
    const name = nameText(key);
    return (
      names.has(name) || more.has(name) || names.size + more.size < (known ? MAX_NAMES : MAX_UNKNOWN_NAMES)
    );
  }

  /** `more`: names that are about to be listed. */
  function wanted(entry: Entry<StoredFacet>, more: ReadonlySet<string> = NONE): Wanted {
    const listed = byKey.has(keyText(entry.key, false)) || isListed(entry.key, areNamesKnown(entry), more);
    if (listed) return { ...pickKey(entry.key), unlisted: false };
    return { ...pickKey(entry.key), server_name: null, tool_name: null, unlisted: true };
  }

  function wantedOfAll(entries: ReadonlyArray<Entry<StoredFacet>>): Wanted[] {
    const more = new Set<string>();
    return entries.map((entry) => {
      const key = wanted(entry, more);
      if (!key.unlisted && !names.has(nameText(key))) more.add(nameText(key));
      return key;
    });
  }

  const find = (key: Wanted) => byKey.get(keyText(key, key.unlisted));

  async function insert(client: Queryable, keys: readonly Wanted[]): Promise<void> {
    const missing = keys.filter((key) => !find(key));
    for (const facet of await makeFacets(client, missing)) keep(facet);
  }

  await refresh(first);
  return {
    of: (entry) => find(wanted(entry)),
    async make(client, entries) {
      if (entries.every((entry) => find(wanted(entry)) !== undefined)) return;
      await refresh(client);
      await insert(client, wantedOfAll(entries));
    },
    async unknownLike(client, facet) {
      const key = { ...pickKey(facet), status: 'unknown' as const, unlisted: facet.unlisted };
      await insert(client, [key]);
      return find(key)!;
    },
    async renew(client) {
      byKey.clear();
      byId.clear();
      names.clear();
      newest = 0;
      await refresh(client);
    },
    async get(client, id) {
      if (!byId.has(id)) {
        const { rows } = await client.query<Row>(`SELECT ${COLUMNS} FROM activity_facet WHERE id = $1`, [id]);
        for (const row of rows) keep(facetOf(row));
      }
      return byId.get(id);
    },
  };
}

const facetOf = ({ id, unlisted, ...key }: Row): StoredFacet => ({ ...key, id, unlisted: unlisted === 1 });

/** The facets of these keys, made where they are new. One that another proxy is making at this moment is seen at the next look. */
export async function makeFacets(client: Queryable, keys: readonly Wanted[]): Promise<StoredFacet[]> {
  const found = new Map<string, StoredFacet>();
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const missing = keys.filter((key) => !found.has(keyText(key, key.unlisted)));
    if (missing.length === 0) return [...found.values()];
    const { rows } = await client.query<Row>(INSERT, [JSON.stringify(missing.map(toJson))]);
    for (const facet of rows.map(facetOf)) found.set(keyText(facet, facet.unlisted), facet);
  }
  throw new Error('facets cannot be made: others change them all the time');
}

const toJson = (key: Wanted) => ({
  ...key,
  unlisted: key.unlisted ? 1 : 0,
  key_hash: sha256(keyText(key, key.unlisted)),
});

const INSERT = `
  WITH wanted AS (
    SELECT DISTINCT ON (key_hash) * FROM json_to_recordset($1::json) AS w (key_hash TEXT, type TEXT, source TEXT, status TEXT,
      operation_type TEXT, server_name TEXT, tool_name TEXT, unlisted INTEGER, other_operations TEXT) ORDER BY key_hash),
  made AS (
    INSERT INTO activity_facet (key_hash, type, source, status, operation_type, server_name, tool_name, unlisted,
      other_operations)
    SELECT key_hash, type, source, status, operation_type, server_name, tool_name, unlisted, other_operations FROM wanted
    ON CONFLICT (key_hash) DO NOTHING RETURNING ${COLUMNS})
  SELECT ${COLUMNS} FROM made
  UNION ALL
  SELECT ${COLUMNS} FROM activity_facet WHERE key_hash IN (SELECT key_hash FROM wanted)`;
