import type { Database } from '../../db/index.ts';
import type { Log } from '../../lib/log.ts';
import { fromRow, isSame, keptDefinition } from './known-tools-row.ts';
import { createKnownToolsTable, idOf, type Learning } from './known-tools-table.ts';
import { underShared } from './merge-known.ts';
import { createToolNews } from './tool-news.ts';
import type { Decision, KnownTool, ToolKey, AcceptedDefinition } from './known-tool.ts';

export interface KnownTools {
  /** All that is known of a server's tools. */
  ofServer(server: string): ReadonlyMap<string, KnownTool>;
  /** Whether no further tool of the server is remembered. What the operator decides is, all the same. */
  isFull(server: string): boolean;
  /** Known from now on; on disk soon. Of a server that is full, nothing new is. */
  save(key: ToolKey, known: KnownTool, accepted?: AcceptedDefinition): void;
  /** Changes what is known, `initial` where nothing is yet. Known once it is on disk; a failed write leaves everything as it was. */
  update(
    key: ToolKey,
    initial: KnownTool,
    change: (known: KnownTool) => KnownTool,
    accepted?: () => string,
  ): Promise<KnownTool>;
  /** The definition that was accepted, as JSON; null where none is kept. */
  acceptedDefinition(key: ToolKey): Promise<string | null>;
  /** Every decision of the operator, also on tools that are not listed now. */
  decisions(): Array<ToolKey & Decision>;
  /** Another proxy on the same database has changed what holds for a tool. */
  onChanged(listener: (key: ToolKey, known: KnownTool) => void): void;
  /** Resolves when everything saved so far is on disk; rejects when it cannot be written. */
  flush(): Promise<void>;
  close(): void;
}

const ROWS_PER_WRITE = 200;
const RETRY_MS = 5_000;
/** A server that invents names at every listing must not fill the disk. What is known stays known; what comes later is withheld. */
export const MAX_PER_SERVER = 50_000;
/** Nor fill it with texts: beyond this many tools the hash of what was accepted has to do. */
const MAX_DEFINITIONS_PER_SERVER = 5000;

/** Read into memory once; from then on only changes go to the database, and those of other proxies come from there. */
export async function createKnownTools(
  db: Database,
  log: Log,
  maxPerServer = MAX_PER_SERVER,
): Promise<KnownTools> {
  const table = createKnownToolsTable(db);
  const servers = new Map<string, Map<string, KnownTool>>();
  const dirty = new Map<string, ToolKey>();
  /** Accepted definitions on their way to the disk; all others are only there. */
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

  /** What the database says now; told on where it makes a difference. */
  function take({ server, tool }: ToolKey, shared: KnownTool): void {
    const tools = ofServer(server);
    const mine = tools.get(tool);
    const merged = mine ? underShared(mine, shared) : shared;
    if (mine && isSame(mine, merged)) return;
    tools.set(tool, merged);
    for (const listener of listeners) listener({ server, tool }, merged);
  }

  const news = createToolNews({ db, table, log, take: (row) => take(row, fromRow(row)) });
  await news.readAll();

  async function writeSome(some: Array<[string, ToolKey]>): Promise<void> {
    const accepted = some.map(([id]) => unwritten.get(id));
    const batch = some.map(([, key], i): Learning => {
      const known = ofServer(key.server).get(key.tool)!;
      const own = accepted[i];
      return own
        ? { key, known, definition: keptDefinition(own.json()), accepts: own.accepts }
        : { key, known };
    });
    const stored = await table.learn(batch);
    some.forEach(([id, key], i) => {
      if (unwritten.get(id) === accepted[i]) unwritten.delete(id);
      // Where it has changed meanwhile, it is written again anyway.
      const { known } = batch[i]!;
      if (stored[i] !== known && ofServer(key.server).get(key.tool) === known) take(key, stored[i]!);
    });
  }

  async function writeAll(): Promise<void> {
    try {
      // A listing is learnt in one go; it should be written in one go as well.
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
      log.error({ err: error }, 'what is known of tools cannot be written');
      retry = setTimeout(write, RETRY_MS).unref();
    });
  }

  const isFull = (server: string): boolean => ofServer(server).size >= maxPerServer;

  function save(key: ToolKey, known: KnownTool, accepted?: AcceptedDefinition): void {
    const tools = ofServer(key.server);
    if (isFull(key.server) && !tools.has(key.tool)) return;
    tools.set(key.tool, known);
    const id = idOf(key);
    dirty.set(id, key);
    if (accepted !== undefined && tools.size <= MAX_DEFINITIONS_PER_SERVER) unwritten.set(id, accepted);
    write();
  }

  const update: KnownTools['update'] = async (key, initial, change, accepted) => {
    const tools = ofServer(key.server);
    const mine = () => tools.get(key.tool) ?? initial;
    const decide = (stored: KnownTool | undefined) => ({
      known: change(stored ? underShared(mine(), stored) : mine()),
      ...(accepted && { definition: keptDefinition(accepted()) }),
    });
    const before = tools.get(key.tool);
    const stored = await table.change(key, decide, { initial: mine(), told: (trx) => news.tell(trx, key) });
    // Listed anew while it was written: that stays, under what was decided.
    const now = tools.get(key.tool);
    const overtaken = now !== undefined && now !== before;
    const known = overtaken ? underShared(now, stored) : stored;
    tools.set(key.tool, known);
    // It may have been another proxy's word that overtook ours; what holds is in the database.
    if (overtaken) news.readAgain(key);
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
    async flush() {
      if (!writing && dirty.size > 0) write();
      await writing;
    },
    close() {
      news.close();
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
