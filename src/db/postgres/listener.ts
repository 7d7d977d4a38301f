import type pg from 'pg';
import type { Log } from '../../lib/log.ts';
import { errorReason } from './errors.ts';

/** The payload; or undefined once it listens, and again when a lost connection is back: something may have been said before. */
export type NotifyListener = (payload: string | undefined) => void;

export interface Listener {
  on(channel: string, listener: NotifyListener): () => void;
  close(): Promise<void>;
}

export interface ListenerParts {
  newClient: () => pg.Client;
  /** The connection is gone, so the server may be as well. */
  lost: (cause: unknown) => void;
  log: Log;
}

const FIRST_PAUSE_MS = 100;
const LAST_PAUSE_MS = 5_000;
/** A connection that was cut without a word is found by asking. */
const ASK_EVERY_MS = 5_000;

/** One connection that only listens. It reconnects until it succeeds. */
export async function createListener({ newClient, lost, log }: ListenerParts): Promise<Listener> {
  const channels = new Map<string, Set<NotifyListener>>();
  let client: pg.Client | undefined;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;

  async function connect(): Promise<void> {
    const next = newClient();
    next.on('error', (error) => drop(next, error));
    next.on('end', () => drop(next, new Error('the connection was closed')));
    next.on('notification', ({ channel, payload }) => tell(channel, payload ?? ''));
    try {
      await next.connect();
      if (closed) throw new Error('closed');
      client = next;
      for (const channel of channels.keys()) await listen(next, channel);
    } catch (error) {
      client = undefined;
      // A connection that cannot be closed any more is gone already.
      void next.end().catch(() => {});
      throw error;
    }
  }

  function tell(channel: string, payload: string | undefined): void {
    for (const listener of channels.get(channel) ?? []) {
      try {
        listener(payload);
      } catch (error) {
        log.error({ err: error, channel }, 'a listener failed');
      }
    }
  }

  function drop(which: pg.Client, cause: unknown): void {
    if (closed || client !== which) return;
    client = undefined;
    log.warn({ reason: errorReason(cause) }, 'the connection that listens to the database is lost');
    // A connection that cannot be closed any more is gone already.
    void which.end().catch(() => {});
    lost(cause);
    again(FIRST_PAUSE_MS);
  }

  function again(pauseMs: number): void {
    if (closed) return;
    timer = setTimeout(() => {
      connect().then(
        () => {
          for (const channel of channels.keys()) tell(channel, undefined);
        },
        () => again(Math.min(pauseMs * 2, LAST_PAUSE_MS)),
      );
    }, pauseMs).unref();
  }

  const asking = setInterval(() => {
    const asked = client;
    if (asked) queryInTurn(asked, 'SELECT 1').catch((error: unknown) => drop(asked, error));
  }, ASK_EVERY_MS).unref();

  await connect();
  return {
    on(channel, listener) {
      const known = channels.get(channel);
      if (known) known.add(listener);
      else {
        channels.set(channel, new Set([listener]));
        const own = client;
        if (own)
          listen(own, channel).then(
            () => tell(channel, undefined),
            (error: unknown) => drop(own, error),
          );
      }
      return () => void channels.get(channel)?.delete(listener);
    },
    async close() {
      closed = true;
      clearInterval(asking);
      clearTimeout(timer);
      // A connection that cannot be closed any more is gone already.
      await client?.end().catch(() => {});
    },
  };
}

async function listen(client: pg.Client, channel: string): Promise<void> {
  await queryInTurn(client, `LISTEN ${client.escapeIdentifier(channel)}`);
}

const lastQueries = new WeakMap<pg.Client, Promise<unknown>>();

/** Several channels may be asked for at once; the client sends one statement at a time. */
function queryInTurn(client: pg.Client, sql: string): Promise<unknown> {
  const before = lastQueries.get(client) ?? Promise.resolve();
  const query = before.catch(() => {}).then(() => client.query(sql));
  lastQueries.set(client, query);
  return query;
}
