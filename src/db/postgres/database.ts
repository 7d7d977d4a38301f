import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, PostgresDialect } from 'kysely';
import type pg from 'pg';
import { ProxyError } from '../../contract/errors.ts';
import type { Log } from '../../lib/log.ts';
import type { AnyDatabase } from '../any-database.ts';
import { createHealthWatch } from '../health.ts';
import { migrate } from '../migrate.ts';
import { BLIP_MS, repeatReads } from './blip.ts';
import { type Limits, createClientFor, createPool, kyselyPool, displayUrl } from './connection.ts';
import { findPooler, findPoolMode, findServer } from './find-server.ts';
import { createListener, type Listener, type NotifyListener } from './listener.ts';
import { errorReason, openError } from './errors.ts';
import { routeOf } from './route.ts';
import type { Tables } from '../schema.ts';

export interface PostgresDatabase extends AnyDatabase {
  readonly engine: 'postgres';
  /** A few connections, shared by everything outside of the hot path. Its errors are PostgreSQL's own. */
  readonly pool: pg.Pool;
  /** A separate connection, not yet connected. The caller ends it and listens to its 'error' event. */
  newClient(limits?: Limits): pg.Client;
  /** Reaches every proxy on this database, this one included. At most 7,999 bytes; inside a transaction use pg_notify. */
  notify(channel: string, payload: string): Promise<void>;
  onNotify(channel: string, listener: NotifyListener): () => void;
  /** For code that writes without Kysely: a failure starts the probes, a success ends the unavailable state. */
  reportFailure(cause: unknown): void;
  reportSuccess(): void;
}

export interface PostgresOptions {
  url: string;
  log: Log;
}

const OLDEST = 150_000;
const PROBE_MS = 4_000;
const MIGRATION_MS = 1_800_000;
const BLIP_PAUSE_MS = 100;

export async function openPostgresDatabase({ url, log }: PostgresOptions): Promise<PostgresDatabase> {
  const place = placeOf(url);
  try {
    await findServer(routeOf(url));
    await findPooler(routeOf(url));
    await checkServer(url, place, log);
    await findPoolMode(routeOf(url));
    await bringUpToDate(url, place, log);
    return await createDatabase(url, place, log);
  } catch (error) {
    throw openError(place, error);
  }
}

/** Nothing of the error goes on but its words: it may hold the whole URL. */
function placeOf(url: string): string {
  try {
    return displayUrl(url);
  } catch (error) {
    if (error instanceof ProxyError) throw error;
    throw new ProxyError('CONFIG_INVALID', `database_url cannot be used: ${errorReason(error)}`);
  }
}

async function checkServer(url: string, place: string, log: Log): Promise<void> {
  const client = createClientFor(url)();
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ number: number; version: string; encoding: string; fsync: string }>(
      `SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS version,
              current_setting('server_encoding') AS encoding, current_setting('fsync') AS fsync`,
    );
    const { number, version, encoding, fsync } = rows[0]!;
    if (number < OLDEST)
      throw unfit(
        place,
        `is PostgreSQL ${version}; 15 or newer is needed. Upgrade the server, or leave database_url out to use SQLite`,
      );
    if (encoding !== 'UTF8')
      throw unfit(place, `has the encoding ${encoding}; create it with ENCODING 'UTF8'`);
    if (fsync === 'off')
      log.warn(
        { database: place },
        'the server has fsync switched off: what it acknowledges may be lost in a power failure',
      );
  } finally {
    // A connection that cannot be closed any more is gone already.
    await client.end().catch(() => {});
  }
}

function unfit(place: string, why: string): ProxyError {
  return new ProxyError('CONFIG_INVALID', `The database ${place} ${why}`, { database: place });
}

/** On a connection of its own: building an index over a large table takes its time, and so may waiting for another proxy that does it. */
async function bringUpToDate(url: string, place: string, log: Log): Promise<void> {
  const pool = createPool(url, { size: 1, statementMs: 0, answerMs: MIGRATION_MS });
  pool.on('error', () => {});
  const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  try {
    await migrate({ engine: 'postgres', kysely, place, log });
  } finally {
    await kysely.destroy();
  }
}

async function createDatabase(url: string, place: string, log: Log): Promise<PostgresDatabase> {
  const pool = repeatReads(createPool(url, { way: 'pooled' }));
  const newClient = createClientFor(url);
  const health = createHealthWatch({ probe, log, place });
  let closed = false;

  async function probe(): Promise<void> {
    await findServer(routeOf(url));
    const client = newClient({ answerMs: PROBE_MS, statementMs: PROBE_MS });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.query(
        `INSERT INTO database_probe (id, probed_at) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET probed_at = excluded.probed_at`,
        [Date.now()],
      );
      health.reportSuccess();
    } finally {
      // A connection that cannot be closed any more is gone already.
      void client.end().catch(() => {});
    }
  }

  /** One lost connection is no trouble yet, the server is asked. */
  let asking = false;
  function suspect(): void {
    if (closed || asking || !health.current().ok) return;
    asking = true;
    probeForAWhile()
      .catch((error: unknown) => closed || health.reportFailure(error))
      .finally(() => (asking = false));
  }

  /** A server that restarts in a moment is no trouble either: what must be written waits. */
  async function probeForAWhile(): Promise<void> {
    for (const until = performance.now() + BLIP_MS; ; await sleep(BLIP_PAUSE_MS))
      try {
        return await probe();
      } catch (error) {
        if (closed || performance.now() > until) throw error;
      }
  }

  pool.on('error', suspect);
  let listener: Listener;
  try {
    listener = await createListener({
      newClient: () => newClient({ answerMs: PROBE_MS, purpose: 'listener' }),
      lost: suspect,
      log,
    });
  } catch (error) {
    await pool.end();
    throw error;
  }
  const kysely = new Kysely<Tables>({
    dialect: new PostgresDialect({
      pool: kyselyPool(pool, place, { suspect, isWell: () => health.current().ok }),
    }),
  });
  let closing: Promise<void> | undefined;
  async function close(): Promise<void> {
    closed = true;
    health.close();
    await listener.close();
    await kysely.destroy();
    await pool.end();
  }

  return {
    engine: 'postgres',
    place,
    kysely,
    pool,
    newClient,
    async notify(channel, payload) {
      await pool.query('SELECT pg_notify($1, $2)', [channel, payload]);
    },
    onNotify: (channel, told) => listener.on(channel, told),
    health: () => health.current(),
    reportFailure: (cause) => health.reportFailure(cause),
    reportSuccess: () => health.reportSuccess(),
    close: () => (closing ??= close()),
  };
}
