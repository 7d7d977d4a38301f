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

export interface ToolNewsParts {
  db: Database;
  table: KnownToolsRows;
  log: Log;
  take: (row: KnownToolsTable) => void;
}

/** What other proxies on the same PostgreSQL have decided: they say which tool, and what holds is read. An SQLite file has no others. */
export function createToolNews({ db, table, log, take }: ToolNewsParts) {
  const me = newId();
  const waiting = new Map<string, ToolKey>();
  let everything = false;
  let reading = false;
  let closed = false;

  async function readAll(): Promise<void> {
    for await (const rows of table.all()) rows.forEach(take);
  }

  async function readWaiting(): Promise<void> {
    const some = [...waiting].slice(0, ROWS_PER_READ);
    for (const [id] of some) waiting.delete(id);
    await table
      .read(some.map(([, key]) => key))
      .then((rows) => rows.forEach(take))
      .catch((error: unknown) => {
        for (const [id, key] of some) waiting.set(id, key);
        throw error;
      });
  }

  async function read(): Promise<void> {
    if (reading || closed) return;
    reading = true;
    try {
      while (everything || waiting.size > 0) {
        if (!everything) await readWaiting();
        else {
          everything = false;
          waiting.clear();
          await readAll().catch((error: unknown) => {
            everything = true;
            throw error;
          });
        }
      }
    } catch (error) {
      log.warn({ err: error }, 'what other proxies have decided on tools cannot be read yet');
      setTimeout(() => void read(), RETRY_MS).unref();
    } finally {
      reading = false;
    }
  }

  function heard(payload: string | undefined): void {
    const [from, server, tool] = payload === undefined ? [] : (JSON.parse(payload) as string[]);
    if (from === me) return;
    if (server !== undefined && tool !== undefined) return readAgain({ server, tool });
    everything = true;
    void read();
  }

  function readAgain(key: ToolKey): void {
    if (waiting.size >= MAX_WAITING) everything = true;
    else waiting.set(idOf(key), key);
    void read();
  }

  const stop = db.engine === 'postgres' ? db.onNotify(CHANNEL, heard) : () => {};
  return {
    readAll,
    readAgain,
    /** Arrives with the commit of the transaction. */
    async tell(trx: Transaction<Tables>, { server, tool }: ToolKey): Promise<void> {
      if (db.engine !== 'postgres') return;
      await sql`SELECT pg_notify(${CHANNEL}, ${JSON.stringify([me, server, tool])})`.execute(trx);
    },
    close() {
      closed = true;
      stop();
    },
  };
}
