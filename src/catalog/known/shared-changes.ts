import { sql, type Transaction } from 'kysely';
import type { Database, KnownToolsTable, Tables } from '../../db/index.ts';
import { newId } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { ToolKey } from './known-tool.ts';
import { idOf, type KnownToolsRows } from './known-tools-table.ts';

const CHANNEL = 'mcpproxy_tools';
const MAX_WAITING = 10_000;
const ROWS_PER_READ = 200;
const RETRY_MS = 1_000;

export interface SharedChangesParts {
  db: Database;
  table: KnownToolsRows;
  log: Log;
  apply: (row: KnownToolsTable) => void;
}

/** Decisions of other proxies on the same PostgreSQL: a notification names the tool, then its row is read. An SQLite file has one proxy only. */
export function createSharedChanges({ db, table, log, apply }: SharedChangesParts) {
  const me = newId();
  const waiting = new Map<string, ToolKey>();
  let mustReadAll = false;
  let reading = false;
  let closed = false;

  async function readAll(): Promise<void> {
    for await (const rows of table.all()) rows.forEach(apply);
  }

  async function readWaiting(): Promise<void> {
    const some = [...waiting].slice(0, ROWS_PER_READ);
    for (const [id] of some) waiting.delete(id);
    await table
      .read(some.map(([, key]) => key))
      .then((rows) => rows.forEach(apply))
      .catch((error: unknown) => {
        for (const [id, key] of some) waiting.set(id, key);
        throw error;
      });
  }

  async function read(): Promise<void> {
    if (reading || closed) return;
    reading = true;
    try {
      while (mustReadAll || waiting.size > 0) {
        if (!mustReadAll) await readWaiting();
        else {
          mustReadAll = false;
          waiting.clear();
          await readAll().catch((error: unknown) => {
            mustReadAll = true;
            throw error;
          });
        }
      }
    } catch (error) {
      log.warn({ err: error }, 'decisions of other proxies on tools cannot be read; retrying');
      setTimeout(() => void read(), RETRY_MS).unref();
    } finally {
      reading = false;
    }
  }

  function onNotify(payload: string | undefined): void {
    const [from, server, tool] = payload === undefined ? [] : (JSON.parse(payload) as string[]);
    if (from === me) return;
    if (server !== undefined && tool !== undefined) return reload({ server, tool });
    mustReadAll = true;
    void read();
  }

  function reload(key: ToolKey): void {
    if (waiting.size >= MAX_WAITING) mustReadAll = true;
    else waiting.set(idOf(key), key);
    void read();
  }

  const stop = db.engine === 'postgres' ? db.onNotify(CHANNEL, onNotify) : () => {};
  return {
    readAll,
    reload,
    /** Delivered when the transaction commits. */
    async notify(trx: Transaction<Tables>, { server, tool }: ToolKey): Promise<void> {
      if (db.engine !== 'postgres') return;
      await sql`SELECT pg_notify(${CHANNEL}, ${JSON.stringify([me, server, tool])})`.execute(trx);
    },
    close() {
      closed = true;
      stop();
    },
  };
}
