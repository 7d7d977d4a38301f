import type { Sqlite } from '../../db/index.ts';
import type { RecordFilter } from '../../contract/activity.ts';
import { facetClauseTest } from '../query/clauses.ts';
import { type FacetKey, hasOperationBySource, shownStatus, shownType } from '../record/row.ts';

export interface Facet extends FacetKey {
  id: number;
  /** The names are stored in the records, because there were too many different ones. */
  unlisted: boolean;
  stored: boolean;
  /** Committed records. */
  n: number;
  /** Sequence number of the newest record. */
  lastSeq: number;
}

export interface Facets {
  /** The facet of a record, created if it is new. `known`: the catalog has confirmed the names. */
  of(key: FacetKey, known: boolean): Facet;
  /** The facet with the same values for records that store their names themselves. */
  unlistedLike(key: FacetKey): Facet;
  get(id: number): Facet | undefined;
  all(): Iterable<Facet>;
  /** Facets that may match the names or status, and maybe more. */
  candidates(filter: Pick<RecordFilter, 'server' | 'tool' | 'status'>): Iterable<Facet>;
  /** Inserts the facet in the current transaction, if it is not stored yet. */
  store(facet: Facet): void;
  committed(): void;
  rolledBack(): void;
  /** Reloads from the database and keeps the identity of known facets. */
  reopened(): void;
}

/** Names come from callers: these limits keep invented names from filling the memory or displacing existing tools. */
export const MAX_NAMES = 8192;
export const MAX_UNKNOWN_NAMES = 1024;

export function createFacets(sqlite: Sqlite): Facets {
  const byKey = new Map<string, Facet>();
  const byId = new Map<number, Facet>();
  const names = new Set<string>();
  const [byServer, byTool] = [new Map<string, Facet[]>(), new Map<string, Facet[]>()];
  const byStatus = new Map<string, Facet[]>();
  const unlisted: Facet[] = [];
  const fresh: Facet[] = [];
  const insert = sqlite.prepare('INSERT INTO activity_facet VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)');
  let nextId = 1;

  function keep(facet: Facet): Facet {
    byKey.set(keyText(facet, facet.unlisted), facet);
    byId.set(facet.id, facet);
    if (facet.tool_name !== null || facet.server_name !== null) names.add(nameText(facet));
    if (facet.unlisted) unlisted.push(facet);
    if (facet.server_name !== null) addTo(byServer, facet.server_name, facet);
    if (facet.tool_name !== null) addTo(byTool, facet.tool_name, facet);
    addTo(byStatus, shownStatus(facet.status), facet);
    nextId = Math.max(nextId, facet.id + 1);
    return facet;
  }

  function isListed(key: FacetKey, known: boolean): boolean {
    if (key.tool_name === null && key.server_name === null) return true;
    return names.size < (known ? MAX_NAMES : MAX_UNKNOWN_NAMES) || names.has(nameText(key));
  }

  const create = (key: FacetKey, isUnlisted: boolean) =>
    keep({ ...pickKey(key), id: nextId, unlisted: isUnlisted, stored: false, n: 0, lastSeq: 0 });

  function unlistedLike(key: FacetKey): Facet {
    return byKey.get(keyText(key, true)) ?? create({ ...key, server_name: null, tool_name: null }, true);
  }

  for (const facet of loadFacets(sqlite)) keep(facet);

  return {
    of(key, known) {
      const listed = byKey.get(keyText(key, false));
      if (listed) return listed;
      return isListed(key, known) ? create(key, false) : unlistedLike(key);
    },
    unlistedLike,
    get: (id) => byId.get(id),
    all: () => byId.values(),
    candidates(filter) {
      if (filter.server === undefined && filter.tool === undefined)
        return filter.status === undefined ? byId.values() : (byStatus.get(filter.status) ?? []);
      const lists = namesOf(filter).map(({ server, tool }) =>
        tool !== null ? byTool.get(tool) : server !== null ? byServer.get(server) : undefined,
      );
      return [...lists.flatMap((list) => list ?? []), ...unlisted];
    },
    store(facet) {
      if (facet.stored || fresh.includes(facet)) return;
      const { id, type, source, status, operation_type, server_name, tool_name } = facet;
      const [isUnlisted, others] = [facet.unlisted ? 1 : 0, facet.other_operations ?? null];
      insert.run(id, type, source, status, operation_type, server_name, tool_name, isUnlisted, others);
      fresh.push(facet);
    },
    committed() {
      for (const facet of fresh.splice(0)) facet.stored = true;
    },
    rolledBack: () => void fresh.splice(0),
    reopened() {
      const stored = new Map(loadFacets(sqlite).map((facet) => [facet.id, facet]));
      for (const facet of byId.values()) {
        facet.stored = stored.has(facet.id);
        facet.n = stored.get(facet.id)?.n ?? 0;
        stored.delete(facet.id);
      }
      for (const facet of stored.values()) keep(facet);
    },
  };
}

function addTo(lists: Map<string, Facet[]>, name: string, facet: Facet): void {
  const list = lists.get(name);
  if (list) list.push(facet);
  else lists.set(name, [facet]);
}

export function pickKey({
  type,
  source,
  status,
  operation_type,
  server_name,
  tool_name,
  other_operations = null,
}: FacetKey): FacetKey {
  return { type, source, status, operation_type, server_name, tool_name, other_operations };
}

export const nameText = ({ server_name, tool_name }: FacetKey) => `${server_name ?? ''}\n${tool_name ?? ''}`;
export const keyText = (key: FacetKey, unlisted: boolean) =>
  `${key.type} ${key.source} ${key.status} ${key.operation_type} ${unlisted ? '*' : `${key.server_name ?? ''}\n${key.tool_name ?? ''}`}${key.other_operations ? `\n${key.other_operations}` : ''}`;

function loadFacets(sqlite: Sqlite): Facet[] {
  const rows = sqlite
    .prepare(
      `SELECT f.*, coalesce((SELECT max(seq) FROM activity WHERE facet_id = f.id), 0) AS last_seq FROM activity_facet f`,
    )
    .all() as Array<FacetKey & { id: number; unlisted: number; last_seq: number }>;
  const sums = sqlite
    .prepare(`SELECT facet_id, sum(n) FROM activity_count WHERE level = 1 GROUP BY facet_id`, {
      returnArrays: true,
    })
    .all() as unknown[] as Array<[id: number, n: number]>;
  const counts = new Map(sums);
  return rows.map(({ id, unlisted, last_seq: lastSeq, ...key }) => ({
    ...key,
    id,
    unlisted: unlisted === 1,
    stored: true,
    n: counts.get(id) ?? 0,
    lastSeq,
  }));
}

/** Splits `server:name`. A bare name matches the tool on every server. */
export function namesOf({
  server,
  tool,
}: Pick<RecordFilter, 'server' | 'tool'>): Array<{ server: string | null; tool: string | null }> {
  if (tool === undefined) return [{ server: server ?? null, tool: null }];
  const colon = tool.indexOf(':');
  const asBare = { server: server ?? null, tool };
  if (colon < 1) return [asBare];
  const split = { server: tool.slice(0, colon), tool: tool.slice(colon + 1) };
  return server === undefined || server === split.server ? [asBare, split] : [asBare];
}

type NamesTest = (names: { server_name: string | null; tool_name: string | null }) => boolean;

/** Tests whether names match the filter. */
export function namesTest(filter: Pick<RecordFilter, 'server' | 'tool'>): NamesTest {
  if (filter.server === undefined && filter.tool === undefined) return () => true;
  const wanted = namesOf(filter);
  return (names) =>
    wanted.some(
      ({ server, tool }) =>
        (server === null || names.server_name === server) && (tool === null || names.tool_name === tool),
    );
}

/** Tests whether records of the facet can match. For an unlisted facet the names in the record decide. */
export function facetTest(filter: RecordFilter): (facet: Facet) => boolean {
  const { type, status, intent_type: operation } = filter;
  const isNamed = namesTest(filter);
  const holds = facetClauseTest(filter.clauses);
  return (facet) =>
    (type === undefined || shownType(facet) === type) &&
    (status === undefined || shownStatus(facet.status) === status) &&
    (operation === undefined || hasOperationBySource(facet, operation)) &&
    (facet.unlisted || isNamed(facet)) &&
    holds(facet);
}
