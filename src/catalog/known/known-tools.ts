import type { Database, RowSeal } from '../../db/index.ts';
import type { Log } from '../../lib/log.ts';
import { distrusted, isSameRow, keptDefinition } from './known-tools-row.ts';
import { createKnownToolsTable, idOf, type LearnedRow } from './known-tools-table.ts';
import { createNewNames } from './new-names.ts';
import { createSharedChanges } from './shared-changes.ts';
import {
  mergeShared,
  type AcceptedDefinition,
  type Decision,
  type KnownTool,
  type ToolKey,
} from './known-tool.ts';

export interface KnownTools {
  /** The known tools of a server, by name. */
  ofServer(server: string): ReadonlyMap<string, KnownTool>;
  /** Whether further tools of the server are not remembered. Decisions of the operator are stored nevertheless. */
  isFull(server: string, at: string): boolean;
  /** Takes effect immediately and is written soon. New tools of a full server are not stored. */
  save(key: ToolKey, known: KnownTool, accepted?: AcceptedDefinition): void;
  /** Takes effect once it is on disk; a failed write changes nothing. */
  update(key: ToolKey, update: KnownToolUpdate): Promise<KnownTool>;
  /** The definition that was accepted, as JSON; null where none is kept. */
  acceptedDefinition(key: ToolKey): Promise<string | null>;
  /** All verdicts of the operator, also on tools that are not listed now. */
  decisions(): Array<ToolKey & Decision>;
  /** Called when another proxy on the same database has changed a tool. */
  onChanged(listener: (key: ToolKey, known: KnownTool) => void): void;
  /** Resolves when everything saved so far is on disk; rejects when it cannot be written. */
  flush(): Promise<void>;
  close(): void;
}

/** Decisions of other proxies on the same database: how far they are applied here. */
export interface SharedKnownTools extends KnownTools {
  shared: { applied(): number | undefined; catchUp(to: number): Promise<void> };
}

export interface KnownToolUpdate {
  /** Changed if nothing is known of the tool yet. */
  initial: KnownTool;
  change: (known: KnownTool) => KnownTool;
  /** The newly accepted definition, as JSON. */
  accepted?: (() => string) | undefined;
}

const ROWS_PER_WRITE = 200;
const RETRY_MS = 5_000;
/** A server that makes up names at every listing must not fill the disk. Known tools stay; later ones are withheld. */
export const MAX_PER_SERVER = 50_000;
/** Names that a server may add within an hour once its first listing is known. Later ones are withheld too. */
export const MAX_NEW_PER_HOUR = 1000;
/** For further tools only the hash of the accepted definition is stored, to bound the disk space. */
const MAX_DEFINITIONS_PER_SERVER = 5000;

export interface MemoryLimits {
  /** Names of one server. */
  perServer: number;
  /** New names of one server within an hour, after its first listing. */
  perHour: number;
}

/** Loaded into memory once. Then changes are written to the database, and changes of other proxies are read from it. */
export async function createKnownTools(
  db: Database,
  {
    seal,
    log,
    perServer = MAX_PER_SERVER,
    perHour = MAX_NEW_PER_HOUR,
  }: { seal: RowSeal; log: Log } & Partial<MemoryLimits>,
): Promise<SharedKnownTools> {
  const table = createKnownToolsTable(db, seal);
  const servers = new Map<string, Map<string, KnownTool>>();
  const dirty = new Map<string, ToolKey>();
  /** Accepted definitions that are not written yet; the others are only in the database. */
  const unwritten = new Map<string, AcceptedDefinition>();
  const listeners: Array<(key: ToolKey, known: KnownTool) => void> = [];
  let writing: Promise<void> | undefined;
  let retry: NodeJS.Timeout | undefined;

  function ofServer(server: string): Map<string, KnownTool> {
    const known = servers.get(server);
    if (known) return known;
    const tools = new Map<string, KnownTool>();
    servers.set(server, tools);
    return tools;
  }

  /** Merges what the database has, and tells the listeners if that changes anything. */
  function applyShared({ server, tool }: ToolKey, shared: KnownTool): void {
    const tools = ofServer(server);
    const mine = tools.get(tool);
    const merged = mine ? mergeShared(mine, shared) : shared;
    if (mine && isSameRow(mine, merged)) return;
    tools.set(tool, merged);
    for (const listener of listeners) listener({ server, tool }, merged);
  }

  const shared = createSharedChanges({
    db,
    table,
    log,
    apply: (row) => applyShared(row, table.knownOf(row)),
  });
  await shared.readAll();
  withholdDeleted();

  /** Without its row a tool would count as new, and be held to its own hints. It gets a row again. */
  function withholdDeleted(): void {
    const at = new Date().toISOString();
    for (const { key, trouble } of table.deleted(({ server, tool }) => ofServer(server).has(tool))) {
      ofServer(key.server).set(key.tool, distrusted({ first_seen: at }, trouble));
      dirty.set(idOf(key), key);
    }
    if (dirty.size > 0) write();
  }

  async function writeSome(some: Array<[string, ToolKey]>): Promise<void> {
    const accepted = some.map(([id]) => unwritten.get(id));
    const batch = some.map(([, key], i): LearnedRow => {
      const known = ofServer(key.server).get(key.tool)!;
      const own = accepted[i];
      return own
        ? { key, known, definition: keptDefinition(own.json()), accepts: own.accepts }
        : { key, known };
    });
    const stored = await table.learn(batch);
    some.forEach(([id, key], i) => {
      if (unwritten.get(id) === accepted[i]) unwritten.delete(id);
      // A tool that has changed in the meantime is written again anyway.
      const { known } = batch[i]!;
      if (stored[i] !== known && ofServer(key.server).get(key.tool) === known) applyShared(key, stored[i]!);
    });
  }

  async function writeAll(): Promise<void> {
    try {
      // A listing is learned in one turn, so it is written together.
      await Promise.resolve();
      while (dirty.size > 0) {
        const some = [...dirty].slice(0, ROWS_PER_WRITE).sort(byKey);
        for (const [id] of some) dirty.delete(id);
        await writeSome(some).catch((error: unknown) => {
          for (const [id, key] of some) dirty.set(id, key);
          throw error;
        });
      }
    } finally {
      writing = undefined;
    }
  }

  function write(): void {
    if (writing) return;
    clearTimeout(retry);
    writing = writeAll();
    writing.catch((error: unknown) => {
      log.error({ err: error }, 'known tools cannot be written; retrying');
      retry = setTimeout(write, RETRY_MS).unref();
    });
  }

  const newNames = createNewNames(ofServer);
  const isFull = (server: string, at: string): boolean =>
    ofServer(server).size >= perServer || newNames.withinHour(server, at) >= perHour;

  function save(key: ToolKey, known: KnownTool, accepted?: AcceptedDefinition): void {
    const tools = ofServer(key.server);
    if (!tools.has(key.tool)) {
      if (isFull(key.server, known.firstSeen)) return;
      newNames.add(key.server, known.firstSeen);
    }
    tools.set(key.tool, known);
    const id = idOf(key);
    dirty.set(id, key);
    if (accepted !== undefined && tools.size <= MAX_DEFINITIONS_PER_SERVER) unwritten.set(id, accepted);
    write();
  }

  const update: KnownTools['update'] = async (key, { initial, change, accepted }) => {
    const tools = ofServer(key.server);
    const mine = () => tools.get(key.tool) ?? initial;
    const decide = (stored: KnownTool | undefined) => ({
      known: change(stored ? mergeShared(mine(), stored) : mine()),
      ...(accepted && { definition: keptDefinition(accepted()) }),
    });
    const before = tools.get(key.tool);
    const stored = await table.change(key, decide, {
      initial: mine(),
      notify: (trx) => shared.notify(trx, key),
    });
    // The tool may have been listed again during the write: merge that listing with the decision.
    const now = tools.get(key.tool);
    const overtaken = now !== undefined && now !== before;
    const known = overtaken ? mergeShared(now, stored) : stored;
    tools.set(key.tool, known);
    // Another proxy may have decided in the meantime; the database has the result.
    if (overtaken) shared.reload(key);
    if (accepted) unwritten.delete(idOf(key));
    return known;
  };

  return {
    ofServer,
    isFull,
    save,
    update,
    async acceptedDefinition(key) {
      const waiting = unwritten.get(idOf(key));
      return waiting ? keptDefinition(waiting.json()) : table.definition(key);
    },
    decisions: () => decisionsIn(servers),
    onChanged: (listener) => void listeners.push(listener),
    shared: { applied: shared.applied, catchUp: (to) => shared.catchUp(to) },
    async flush() {
      if (!writing && dirty.size > 0) write();
      await writing;
    },
    close() {
      shared.close();
      clearTimeout(retry);
    },
  };
}

function byKey([, a]: [string, ToolKey], [, b]: [string, ToolKey]): number {
  return compare(a.server, b.server) || compare(a.tool, b.tool);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function decisionsIn(servers: Map<string, Map<string, KnownTool>>): Array<ToolKey & Decision> {
  const decisions: Array<[string, ToolKey & Decision]> = [];
  for (const [server, tools] of servers)
    for (const [tool, { operator }] of tools)
      if (operator) decisions.push(['', { server, tool, ...operator }]);
  return decisions.sort(byKey).map(([, decision]) => decision);
}
