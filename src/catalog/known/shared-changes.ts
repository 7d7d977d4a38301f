import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type Transaction } from 'kysely';
import { TOOL_DECISIONS, type Database, type KnownToolsTable, type Tables } from '../../db/index.ts';
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

/** A decision that was announced comes within this time, unless its announcement is lost. */
const ANNOUNCED_MS = 100;

/**
 * Decisions of other proxies on the same PostgreSQL: a notification names the tool, then its row is read. Each decision has a number, so
 * that a proxy that was not told knows that it is behind. An SQLite file has one proxy only.
 */
export function createSharedChanges({ db, table, log, apply }: SharedChangesParts) {
  const me = newId();
  const waiting = new Map<string, ToolKey>();
  let mustReadAll = false;
  let reading: Promise<void> | undefined;
  let closed = false;
  /** The number of the newest decision that is applied, and of the newest that was heard of. */
  let applied: number | undefined;
  let heard: number | undefined;

  async function readAll(): Promise<void> {
    // The rows that are read after it are at least as new.
    const now = await newestDecision(db);
    for await (const rows of table.all()) rows.forEach(apply);
    heard = applied = now;
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

  async function readSome(): Promise<void> {
    if (!mustReadAll) return readWaiting();
    mustReadAll = false;
    waiting.clear();
    await readAll().catch((error: unknown) => {
      mustReadAll = true;
      throw error;
    });
  }

  async function readEverything(): Promise<void> {
    try {
      while (mustReadAll || waiting.size > 0) await readSome();
      applied = heard;
    } catch (error) {
      log.warn({ err: error }, 'decisions of other proxies on tools cannot be read; retrying');
      setTimeout(() => void read(), RETRY_MS).unref();
      throw error;
    } finally {
      reading = undefined;
    }
  }

  function read(): Promise<void> {
    if (closed) return Promise.resolve();
    reading ??= readEverything();
    // The reason was logged, and it is tried again.
    return reading.catch(() => {});
  }

  function onNotify(payload: string | undefined): void {
    if (payload === undefined) {
      mustReadAll = true;
      return void read();
    }
    const [from, server, tool, number] = JSON.parse(payload) as [string, string, string, number?];
    heard = number ?? heard;
    if (from !== me) return reload({ server, tool });
    if (!reading && waiting.size === 0 && !mustReadAll) applied = heard;
    return undefined;
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
    applied: () => applied,
    async catchUp(to: number): Promise<void> {
      const before = applied;
      await sleep(ANNOUNCED_MS, undefined, { ref: false });
      await reading;
      if (applied !== before && (applied ?? 0) >= to) return;
      await readAll();
    },
    /** Delivered when the transaction commits. */
    async notify(trx: Transaction<Tables>, { server, tool }: ToolKey): Promise<void> {
      if (db.engine !== 'postgres') return;
      // The lock of the row gives decisions and their announcements one order.
      const { value } = await trx
        .insertInto('activity_state')
        .values({ key: TOOL_DECISIONS, value: 1 })
        .onConflict((conflict) =>
          conflict.column('key').doUpdateSet({ value: sql`activity_state.value + 1` }),
        )
        .returning('value')
        .executeTakeFirstOrThrow();
      await sql`SELECT pg_notify(${CHANNEL}, ${JSON.stringify([me, server, tool, value])})`.execute(trx);
    },
    close() {
      closed = true;
      stop();
    },
  };
}

async function newestDecision({ kysely }: Database): Promise<number> {
  const row = await kysely
    .selectFrom('activity_state')
    .select('value')
    .where('key', '=', TOOL_DECISIONS)
    .executeTakeFirst();
  return row?.value ?? 0;
}
