import { sql } from 'kysely';
import { newId, type Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { StateSeal } from '../../lib/state-seal.ts';
import type { Database } from '../database.ts';

export interface RelayListener {
  /** Only messages of such a topic are read. */
  wants(topic: string): boolean;
  /** May come twice, and in another order than they were sent. */
  got(topic: string, message: unknown): void;
}

/** Messages between the proxies on one database, sealed with a key that the database does not have. */
export interface Relay {
  /** Whether other proxies can use the database. */
  readonly isShared: boolean;
  /** Resolves when the message is stored: every proxy that listens gets it, this one included. */
  send(topic: string, message: unknown, seq?: number): Promise<void>;
  /** The messages of a topic with a higher number. */
  read(topic: string, after: number): Promise<Array<{ seq: number; message: unknown }>>;
  on(listener: RelayListener): () => void;
  close(): void;
}

export interface RelayParts {
  db: Database;
  seal: StateSeal;
  clock: Clock;
  log: Log;
}

const CHANNEL = 'mcpproxy_relay';
/** Topics of this kind concern sessions that a proxy may have in memory for long. */
export const SESSION_TOPIC = 'session ';
const KEPT_MS = 600_000;
const KEPT_OF_SESSIONS_MS = 86_400_000;
const PRUNE_EVERY_MS = 60_000;
/** Clocks of proxies differ. */
const SKEW_MS = 60_000;
const MAX_MISSED = 5_000;
const READ_AGAIN_MS = 250;

export function createRelay({ db, seal, clock, log }: RelayParts): Relay {
  const { kysely } = db;
  const listeners = new Set<RelayListener>();
  let heardMs = clock.now();
  let prunedMs = 0;
  let retry: NodeJS.Timeout | undefined;
  let isClosed = false;

  const isWanted = (topic: string) => [...listeners].some((listener) => listener.wants(topic));

  function deliver({ topic, body }: { topic: string; body: string }): void {
    const opened = seal.open(body, boundTo(topic));
    if (!opened) return log.warn({ topic }, 'a message between proxies was changed: it does not count');
    for (const listener of listeners) if (listener.wants(topic)) listener.got(topic, opened.value);
    return undefined;
  }

  /** A message was announced that could not be read, or announcements may be lost. */
  function readMissed(): void {
    if (isClosed || retry) return;
    const since = heardMs - SKEW_MS;
    const now = clock.now();
    kysely
      .selectFrom('relayed_messages')
      .select(['topic', 'body'])
      .where('created_ms', '>', since)
      .orderBy('created_ms')
      .limit(MAX_MISSED)
      .execute()
      .then((rows) => {
        heardMs = now;
        for (const row of rows) if (isWanted(row.topic)) deliver(row);
      })
      .catch(() => {
        if (isClosed) return;
        retry = setTimeout(() => {
          retry = undefined;
          readMissed();
        }, READ_AGAIN_MS).unref();
      });
  }

  async function announced(payload: string): Promise<void> {
    const space = payload.indexOf(' ');
    const topic = payload.slice(space + 1);
    if (!isWanted(topic)) return;
    const row = await kysely
      .selectFrom('relayed_messages')
      .select(['topic', 'body'])
      .where('id', '=', payload.slice(0, space))
      .executeTakeFirst();
    if (row) deliver(row);
    heardMs = clock.now();
  }

  function prune(): void {
    const now = clock.now();
    if (now - prunedMs < PRUNE_EVERY_MS) return;
    prunedMs = now;
    kysely
      .deleteFrom('relayed_messages')
      .where('created_ms', '<', now - KEPT_MS)
      .where((is) =>
        is.or([
          is('topic', 'not like', `${SESSION_TOPIC}%`),
          is('created_ms', '<', now - KEPT_OF_SESSIONS_MS),
        ]),
      )
      .execute()
      .catch((error: unknown) => log.debug({ err: error }, 'old messages between proxies are not removed'));
  }

  const stop =
    db.engine === 'postgres'
      ? db.onNotify(CHANNEL, (payload) => {
          if (payload === undefined) readMissed();
          else announced(payload).catch(readMissed);
        })
      : undefined;

  return {
    isShared: db.engine === 'postgres',
    async send(topic, message, seq = 0) {
      prune();
      const row = { topic, body: seal.seal(message, boundTo(topic)) };
      const id = newId();
      const values = sql`VALUES (${id}, ${topic}, ${seq}, ${row.body}, ${clock.now()})`;
      const insert = sql`INSERT INTO relayed_messages (id, topic, seq, body, created_ms) ${values}`;
      if (db.engine === 'sqlite') {
        await insert.execute(kysely);
        return deliver(row);
      }
      await sql`WITH stored AS (${insert}) SELECT pg_notify(${CHANNEL}, ${`${id} ${topic}`})`.execute(kysely);
    },
    async read(topic, after) {
      const rows = await kysely
        .selectFrom('relayed_messages')
        .select(['seq', 'body'])
        .where('topic', '=', topic)
        .where('seq', '>', after)
        .orderBy('seq')
        .execute();
      return rows.flatMap(({ seq, body }) => {
        const opened = seal.open(body, boundTo(topic));
        return opened ? [{ seq, message: opened.value }] : [];
      });
    },
    on(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close() {
      isClosed = true;
      clearTimeout(retry);
      stop?.();
    },
  };
}

const boundTo = (topic: string) => JSON.stringify(['between proxies', topic]);
