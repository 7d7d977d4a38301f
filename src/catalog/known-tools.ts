import { OperationType } from '../contract/operation.ts';
import type { Database } from '../db/database.ts';
import type { KnownToolsTable } from '../db/schema.ts';
import type { Log } from '../lib/log.ts';
import type { HintSet, HintState } from './held-hints.ts';

/** What is remembered of a tool, also while its server is away. */
export interface KnownTool extends HintState {
  hash: string;
  operator?: { operation: OperationType; by: string; at: string };
  firstSeen: string;
  changedAt: string;
}

export interface KnownTools {
  /** All that is known of a server's tools, read at once. */
  ofServer(server: string): ReadonlyMap<string, KnownTool>;
  /** Known from now on; on disk soon. */
  save(server: string, tool: string, known: KnownTool): void;
  /** Changes what is known, `initial` where nothing is yet. Known once it is on disk; a failed write leaves everything as it was. */
  update(
    server: string,
    tool: string,
    initial: KnownTool,
    change: (known: KnownTool) => KnownTool,
  ): Promise<KnownTool>;
  /** Resolves when everything saved so far is on disk; rejects when it cannot be written. */
  flush(): Promise<void>;
}

const ROWS_PER_WRITE = 500;
/** A server that invents names at every listing must not fill the disk. What is known stays known; what comes later is not kept. */
const MAX_PER_SERVER = 50_000;

const UPSERT = `
  INSERT INTO known_tools (server, tool, definition_hash, hints, held_hints, operator_operation, operator_by, operator_at, first_seen, changed_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (server, tool) DO UPDATE SET
    definition_hash = excluded.definition_hash, hints = excluded.hints, held_hints = excluded.held_hints,
    operator_operation = excluded.operator_operation, operator_by = excluded.operator_by, operator_at = excluded.operator_at,
    changed_at = excluded.changed_at`;

interface Key {
  server: string;
  tool: string;
}

export function createKnownTools(db: Database, log: Log): KnownTools {
  const servers = new Map<string, Map<string, KnownTool>>();
  const dirty = new Map<string, Key>();
  const select = db.sqlite.prepare('SELECT * FROM known_tools WHERE server = ?');
  const upsert = db.sqlite.prepare(UPSERT);
  let writing: Promise<void> | undefined;

  function ofServer(server: string): Map<string, KnownTool> {
    const loaded = servers.get(server);
    if (loaded) return loaded;
    const rows = select.all(server) as unknown as KnownToolsTable[];
    const tools = new Map(rows.map((row) => [row.tool, fromRow(row)]));
    servers.set(server, tools);
    return tools;
  }

  function writeRow({ server, tool }: Key): void {
    upsert.run(...toRow(server, tool, ofServer(server).get(tool)!));
  }

  async function writeAll(): Promise<void> {
    try {
      while (dirty.size > 0) {
        const some = [...dirty].slice(0, ROWS_PER_WRITE);
        for (const [id] of some) dirty.delete(id);
        // Each row is read when it is written, so the newest state wins whatever has happened since.
        await db.writes
          .add({ run: () => some.forEach(([, key]) => writeRow(key)) }, 'soon')
          .catch((error: unknown) => {
            for (const [id, key] of some) dirty.set(id, key);
            throw error;
          });
      }
    } finally {
      writing = undefined;
    }
  }

  function save(server: string, tool: string, known: KnownTool): void {
    const tools = ofServer(server);
    if (tools.size >= MAX_PER_SERVER && !tools.has(tool)) return;
    tools.set(tool, known);
    dirty.set(JSON.stringify([server, tool]), { server, tool });
    if (writing) return;
    writing = writeAll();
    writing.catch((error: unknown) =>
      log.error({ err: error, server }, 'what is known of tools cannot be written'),
    );
  }

  async function update(
    server: string,
    tool: string,
    initial: KnownTool,
    change: (known: KnownTool) => KnownTool,
  ): Promise<KnownTool> {
    const tools = ofServer(server);
    const before = tools.get(tool);
    try {
      return await db.write(() => {
        const known = change(tools.get(tool) ?? initial);
        tools.set(tool, known);
        writeRow({ server, tool });
        return known;
      });
    } catch (error) {
      if (before) tools.set(tool, before);
      else tools.delete(tool);
      throw error;
    }
  }

  return {
    ofServer,
    save,
    update,
    async flush() {
      if (!writing && dirty.size > 0) writing = writeAll();
      await writing;
    },
  };
}

function toRow(server: string, tool: string, known: KnownTool): Array<string | null> {
  const { operator } = known;
  return [
    server,
    tool,
    known.hash,
    JSON.stringify(known.hints),
    JSON.stringify(known.held),
    operator?.operation ?? null,
    operator?.by ?? null,
    operator?.at ?? null,
    known.firstSeen,
    known.changedAt,
  ];
}

function fromRow(row: KnownToolsTable): KnownTool {
  const operation = OperationType.safeParse(row.operator_operation);
  return {
    hash: row.definition_hash,
    hints: JSON.parse(row.hints) as HintSet,
    held: JSON.parse(row.held_hints) as HintSet,
    ...(operation.success && {
      operator: { operation: operation.data, by: row.operator_by ?? '', at: row.operator_at ?? '' },
    }),
    firstSeen: row.first_seen,
    changedAt: row.changed_at,
  };
}
