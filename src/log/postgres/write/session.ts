import type pg from 'pg';
import type { PostgresDatabase } from '../../../db/index.ts';
import { lockHolders, acquireLock } from './locks.ts';

/**
 * The one connection of a writer. It holds the lock of the writer's log while it is open. A free lock means that this writer cannot write
 * until it acquires the lock again.
 */
export interface Session {
  /** Connected and holding the lock; a new connection where the last one was lost. */
  client(): Promise<pg.Client>;
  /** Gives the connection up: nobody knows what becomes of the statement that was under way. */
  drop(): void;
  close(): Promise<void>;
}

export interface SessionParts {
  db: Pick<PostgresDatabase, 'newClient'>;
  log: number;
  /** A connection that holds the lock already. */
  client: pg.Client;
  /** The connection is another one: what is on the server must be read again. */
  renewed: (client: pg.Client) => Promise<void>;
  lost: (cause: unknown) => void;
}

const PATIENCE_MS = 3_000;
const PAUSE_MS = 50;

export function createSession({ db, log, client: first, renewed, lost }: SessionParts): Session {
  let current: pg.Client | undefined;
  /** The server's process of the last connection, which may not know yet that nobody is there any more. */
  let lastPid: number | undefined;
  watch(first);
  let connecting: Promise<pg.Client> | undefined;
  let closed = false;

  function watch(client: pg.Client): void {
    const gone = (cause: unknown) => {
      if (current !== client) return;
      current = undefined;
      if (!closed) lost(cause);
    };
    client.on('error', gone);
    client.on('end', () => gone(new Error('the connection was closed')));
    current = client;
    lastPid = (client as unknown as { processID: number }).processID;
  }

  async function connect(): Promise<pg.Client> {
    const client = await connectWriter(db);
    try {
      await holdLock(client, log, lastPid);
      await renewed(client);
    } catch (error) {
      // A connection that cannot be closed any more is gone already.
      void client.end().catch(() => {});
      throw error;
    }
    watch(client);
    return client;
  }

  return {
    client() {
      if (current) return Promise.resolve(current);
      if (closed) return Promise.reject(new Error('the log is closed'));
      connecting ??= connect().finally(() => (connecting = undefined));
      return connecting;
    },
    drop() {
      const client = current;
      current = undefined;
      // A connection that cannot be closed any more is gone already.
      void client?.end().catch(() => {});
    },
    async close() {
      closed = true;
      // The caller that connects gets the error.
      await connecting?.catch(() => {});
      const client = current;
      current = undefined;
      // A connection that cannot be closed any more is gone already.
      await client?.end().catch(() => {});
    },
  };
}

/** Every statement of a writer finds its rows by their keys, also before the server has gathered statistics. */
export async function connectWriter(db: Pick<PostgresDatabase, 'newClient'>): Promise<pg.Client> {
  // A call waits for this: what a server does not do in this time, it is not going to do soon.
  const client = db.newClient({ statementMs: 9_000, answerMs: 10_000 });
  client.on('error', () => {}); // the statement that meets it tells of it
  try {
    await client.connect();
    await client.query('SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off');
    return client;
  } catch (error) {
    // A connection that cannot be closed any more is gone already.
    void client.end().catch(() => {});
    throw error;
  }
}

/** Somebody who settles what the log left open holds its lock for a moment. Our own last connection is ended. */
export async function holdLock(client: pg.Client, log: number, lastPid: number | undefined): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!(await acquireLock(client, log))) {
    if (performance.now() > end)
      throw new Error(`another connection holds log ${log}; it is tried again when something is written`);
    if (lastPid !== undefined && (await lockHolders(client)).get(log) === lastPid)
      await client.query('SELECT pg_terminate_backend($1)', [lastPid]);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
