import type { OperationType } from '../contract/operation.ts';
import type { SqliteDatabase } from '../db/sqlite-database.ts';
import type { KnownToolsTable } from '../db/schema.ts';
import type { Log } from '../lib/log.ts';
import type { HintState } from './held-hints.ts';
import { fromRow, keptDefinition, toRow, UPSERT, UPSERT_DEFINITION } from './known-tools-row.ts';

export interface Decision {
  operation: OperationType;
  by: string;
  at: string;
}

/** A definition that was accepted, by its hash, and how its server was started or reached then. */
export interface Accepted {
  hash: string;
  identity: string;
  by: string;
  at: string;
}

/** What is remembered of a tool, also while its server is away. */
export interface KnownTool extends HintState {
  /** Empty: the operator has decided on a tool that was never listed. */
  hash: string;
  identity: string;
  operator?: Decision;
  accepted?: Accepted;
  firstSeen: string;
  changedAt: string;
}

export interface ToolKey {
  server: string;
  tool: string;
}

export interface KnownTools {
  /** All that is known of a server's tools, read at once. */
  ofServer(server: string): ReadonlyMap<string, KnownTool>;
  /** Known from now on; on disk soon. A definition that comes with it, as JSON when it is asked for, is the accepted one. */
  save(server: string, tool: string, known: KnownTool, accepted?: () => string): void;
  /** Changes what is known, `initial` where nothing is yet. Known once it is on disk; a failed write leaves everything as it was. */
  update(
    key: ToolKey,
    initial: KnownTool,
    change: (known: KnownTool) => KnownTool,
    accepted?: () => string,
  ): Promise<KnownTool>;
  /** The definition that was accepted, as JSON; null where none is kept. */
  acceptedDefinition(key: ToolKey): string | null;
  /** Every decision of the operator, also on tools that are not listed now. */
  decisions(): Array<ToolKey & Decision>;
  /** Resolves when everything saved so far is on disk; rejects when it cannot be written. */
  flush(): Promise<void>;
}

const ROWS_PER_WRITE = 500;
/** A server that invents names at every listing must not fill the disk. What is known stays known; what comes later is not kept. */
const MAX_PER_SERVER = 50_000;
/** Nor fill it with texts: beyond this many tools the hash of what was accepted has to do. */
const MAX_DEFINITIONS_PER_SERVER = 5000;

export function createKnownTools(db: SqliteDatabase, log: Log): KnownTools {
  const servers = new Map<string, Map<string, KnownTool>>();
  const dirty = new Map<string, ToolKey>();
  /** Accepted definitions on their way to the disk; all others are only there. */
  const unwritten = new Map<string, () => string>();
  const select = db.sqlite.prepare('SELECT * FROM known_tools WHERE server = ?');
  const selectDefinition = db.sqlite.prepare(
    'SELECT definition FROM accepted_definitions WHERE server = ? AND tool = ?',
  );
  const upsert = db.sqlite.prepare(UPSERT);
  const upsertDefinition = db.sqlite.prepare(UPSERT_DEFINITION);
  let writing: Promise<void> | undefined;

  function ofServer(server: string): Map<string, KnownTool> {
    const loaded = servers.get(server);
    if (loaded) return loaded;
    const rows = select.all(server) as unknown as KnownToolsTable[];
    const tools = new Map(rows.map((row) => [row.tool, fromRow(row)]));
    servers.set(server, tools);
    return tools;
  }

  function writeRow(key: ToolKey): void {
    upsert.run(...toRow(key.server, key.tool, ofServer(key.server).get(key.tool)!));
    const accepted = unwritten.get(idOf(key));
    if (accepted !== undefined) upsertDefinition.run(key.server, key.tool, keptDefinition(accepted()));
  }

  /** Each row is read when it is written, so the newest state wins whatever has happened since. */
  async function writeSome(keys: ToolKey[]): Promise<void> {
    let written: Array<[string, (() => string) | undefined]> = [];
    await db.writes.add(
      {
        run() {
          keys.forEach(writeRow);
          written = keys.map((key) => [idOf(key), unwritten.get(idOf(key))]);
        },
      },
      'soon',
    );
    for (const [id, accepted] of written) if (unwritten.get(id) === accepted) unwritten.delete(id);
  }

  async function writeAll(): Promise<void> {
    try {
      while (dirty.size > 0) {
        const some = [...dirty].slice(0, ROWS_PER_WRITE);
        for (const [id] of some) dirty.delete(id);
        await writeSome(some.map(([, key]) => key)).catch((error: unknown) => {
          for (const [id, key] of some) dirty.set(id, key);
          throw error;
        });
      }
    } finally {
      writing = undefined;
    }
  }

  function save(server: string, tool: string, known: KnownTool, accepted?: () => string): void {
    const tools = ofServer(server);
    if (tools.size >= MAX_PER_SERVER && !tools.has(tool)) return;
    tools.set(tool, known);
    const id = idOf({ server, tool });
    dirty.set(id, { server, tool });
    if (accepted !== undefined && tools.size <= MAX_DEFINITIONS_PER_SERVER) unwritten.set(id, accepted);
    if (writing) return;
    writing = writeAll();
    writing.catch((error: unknown) =>
      log.error({ err: error, server }, 'what is known of tools cannot be written'),
    );
  }

  const update: KnownTools['update'] = async (key, initial, change, accepted) => {
    const { server, tool } = key;
    const tools = ofServer(server);
    const before = tools.get(tool);
    try {
      return await db.write(() => {
        const known = change(tools.get(tool) ?? initial);
        tools.set(tool, known);
        if (accepted !== undefined) unwritten.set(idOf(key), accepted);
        writeRow(key);
        return known;
      });
    } catch (error) {
      if (before) tools.set(tool, before);
      else tools.delete(tool);
      throw error;
    } finally {
      // On disk now, or refused: either way the disk has what counts.
      if (accepted !== undefined && unwritten.get(idOf(key)) === accepted) unwritten.delete(idOf(key));
    }
  };

  async function flush(): Promise<void> {
    if (!writing && dirty.size > 0) writing = writeAll();
    await writing;
  }

  return {
    ofServer,
    save,
    update,
    flush,
    acceptedDefinition({ server, tool }) {
      const waiting = unwritten.get(idOf({ server, tool }));
      if (waiting !== undefined) return keptDefinition(waiting());
      const row = selectDefinition.get(server, tool) as { definition: string | null } | undefined;
      return row?.definition ?? null;
    },
    decisions: () => readDecisions(db),
  };
}

function idOf({ server, tool }: ToolKey): string {
  return JSON.stringify([server, tool]);
}

function readDecisions(db: SqliteDatabase): Array<ToolKey & Decision> {
  const rows = db.sqlite
    .prepare('SELECT * FROM known_tools WHERE operator_operation IS NOT NULL ORDER BY server, tool')
    .all() as unknown as KnownToolsTable[];
  return rows.flatMap((row) => {
    const { operator } = fromRow(row);
    return operator ? [{ server: row.server, tool: row.tool, ...operator }] : [];
  });
}
