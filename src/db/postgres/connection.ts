import pg from 'pg';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import { isServerFailure, unavailable } from './errors.ts';

/** Waits that have an end, on either side of the wire: what a frozen server does not end, the client does. */
const CONNECT_MS = 5_000;
const STATEMENT_MS = 30_000;
const LOCK_MS = 10_000;
const IDLE_IN_TRANSACTION_MS = 60_000;
const ANSWER_MS = STATEMENT_MS + 5_000;
const POOL_SIZE = 6;

/** What SQLite gives as numbers arrives as numbers: int8, as counts and positions are, and numeric, as sums are. */
const AS_NUMBER = new Set<number>([pg.types.builtins.INT8, pg.types.builtins.NUMERIC]);

const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: Parameters<typeof pg.types.getTypeParser>[0], format?: 'text') =>
    AS_NUMBER.has(oid)
      ? Number
      : (pg.types.getTypeParser(oid, format) as unknown)) as typeof pg.types.getTypeParser,
};

export interface Limits {
  /** Ends a statement on the server; 0: only the client's own patience does. */
  statementMs?: number;
  answerMs?: number;
  /** The server refuses every write. */
  isReadOnly?: boolean;
}

/** The settings of every connection. A commit is on the server's disk before it is acknowledged, whatever the server's default is. */
export function connectionSettings(url: string, limits: Limits = {}): pg.ClientConfig {
  return {
    connectionString: withOptions(url, [
      'synchronous_commit=on',
      // A parameter of 0 would not be sent, and leave it to the server.
      ...(limits.statementMs === 0 ? ['statement_timeout=0'] : []),
      ...(limits.isReadOnly ? ['default_transaction_read_only=on'] : []),
    ]),
    application_name: 'mcpproxy',
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: limits.statementMs ?? STATEMENT_MS,
    lock_timeout: LOCK_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    query_timeout: limits.answerMs ?? ANSWER_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types,
  };
}

/** Creates separate connections, not yet connected. The caller ends them and listens to their 'error' event. */
export const createClientFor = (url: string) => (limits?: Limits) =>
  new pg.Client(connectionSettings(url, limits));

export function createPool(url: string, limits: Limits & { size?: number } = {}): pg.Pool {
  const pool = new pg.Pool({
    ...connectionSettings(url, limits),
    max: limits.size ?? POOL_SIZE,
    idleTimeoutMillis: 60_000,
  });
  // The running query is rejected with the same error; without a listener the event would end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** The operator's own `options` come last, so they win. */
function withOptions(url: string, settings: readonly string[]): string {
  const parsed = new URL(url);
  const own = parsed.searchParams.get('options');
  const options = settings.map((setting) => `-c ${setting}`);
  parsed.searchParams.set('options', [...options, ...(own ? [own] : [])].join(' '));
  return parsed.href;
}

/** Where a connection goes, as it may be shown. */
export function displayUrl(url: string): string {
  const { user, host, port, database } = new pg.Client({ connectionString: url });
  const where = host.startsWith('/') ? encodeURIComponent(host) : host.includes(':') ? `[${host}]` : host;
  return `postgres://${encodeURIComponent(user ?? '')}@${where}:${port}/${encodeURIComponent(database ?? '')}`;
}

/** The pool as Kysely uses it: trouble with the server comes as one error that every door can render, and a broken connection is thrown away. */
export function kyselyPool(pool: pg.Pool, place: string, suspect: (cause: unknown) => void): PostgresPool {
  const readable = (error: unknown): unknown => {
    if (!isServerFailure(error)) return error;
    suspect(error);
    return unavailable(place, error);
  };
  return {
    async connect() {
      try {
        return wrap(await pool.connect(), readable);
      } catch (error) {
        throw readable(error);
      }
    },
    // The pool is closed by the one who opened it.
    async end() {},
  };
}

/** PostgreSQL has no place for NUL in a text, so it is shown as a character that cannot be shown. */
function storable(value: unknown): unknown {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
}

function wrap(client: pg.PoolClient, readable: (error: unknown) => unknown): PostgresPoolClient {
  let broken = false;
  const query = async (sql: string, parameters: readonly unknown[]) => {
    try {
      return await client.query<Record<string, unknown>>(sql, parameters.map(storable));
    } catch (error) {
      if (isServerFailure(error)) broken = true;
      throw readable(error);
    }
  };
  return { query: query as unknown as PostgresPoolClient['query'], release: () => client.release(broken) };
}
