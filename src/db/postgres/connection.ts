import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import { BLIP_MS, createBlip, isRead, PAUSE_MS } from './blip.ts';
import { isServerFailure, unavailable, wasCut } from './errors.ts';
import { currentUrl, routeOf, type Route, type Way } from './route.ts';

/** Waits that have an end, on either side of the wire: what a frozen server does not end, the client does. */
const CONNECT_MS = 5_000;
const STATEMENT_MS = 30_000;
const LOCK_MS = 10_000;
const IDLE_IN_TRANSACTION_MS = 60_000;
const ANSWER_MS = STATEMENT_MS + 5_000;
const POOL_SIZE = 6;

const require = createRequire(import.meta.url);
/** Loaded at its first use: it takes a twentieth of the start of a proxy, and SQLite does not need it. */
export const library = () => require('pg') as typeof pg;

/** What SQLite gives as numbers arrives as numbers: int8, as counts and positions are, and numeric, as sums are. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: Parameters<typeof pg.types.getTypeParser>[0], format?: 'text') => {
    const { builtins, getTypeParser } = library().types;
    const isNumber = oid === builtins.INT8 || oid === builtins.NUMERIC;
    return isNumber ? Number : (getTypeParser(oid, format) as unknown);
  }) as typeof pg.types.getTypeParser,
};

export interface Limits {
  /** Ends a statement on the server; 0: only the client's own patience does. */
  statementMs?: number;
  answerMs?: number;
  /** As the server shows the connection, e.g. in pg_stat_activity. */
  purpose?: string;
  /** The server refuses every write. */
  isReadOnly?: boolean;
}

/** The settings of every connection. A commit is on the server's disk before it is acknowledged, whatever the server's default is. */
export function connectionSettings(route: Route, way: Way, limits: Limits = {}): pg.ClientConfig {
  const url = currentUrl(route, way);
  return {
    connectionString: route.isPooled ? url : withOptions(url, startSettings(limits)),
    application_name: limits.purpose === undefined ? 'mcpproxy' : `mcpproxy ${limits.purpose}`,
    connectionTimeoutMillis: CONNECT_MS,
    ...(!route.isPooled && {
      statement_timeout: limits.statementMs ?? STATEMENT_MS,
      lock_timeout: LOCK_MS,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    }),
    query_timeout: limits.answerMs ?? ANSWER_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types,
  };
}

const startSettings = ({ statementMs, isReadOnly }: Limits) => [
  'synchronous_commit=on',
  // A parameter of 0 would not be sent, and leave it to the server.
  ...(statementMs === 0 ? ['statement_timeout=0'] : []),
  ...(isReadOnly ? ['default_transaction_read_only=on'] : []),
];

/** The same, for a pooler that keeps a session but takes no settings at its start. */
function laterSettings(limits: Limits): string {
  const settings = [
    ...startSettings(limits),
    `statement_timeout=${limits.statementMs ?? STATEMENT_MS}`,
    `lock_timeout=${LOCK_MS}`,
    `idle_in_transaction_session_timeout=${IDLE_IN_TRANSACTION_MS}`,
  ];
  return settings.map((setting) => `SET ${setting}`).join('; ');
}

/** A class of connections that go where the server was found last. */
function clientClass(route: Route, way: Way, limits: Limits): typeof pg.Client {
  const { Client } = library();
  return class extends Client {
    constructor() {
      super(connectionSettings(route, way, limits));
    }

    override connect(): Promise<pg.Client>;
    override connect(callback: (error: Error) => void): void;
    override connect(callback?: (error: Error) => void): Promise<pg.Client> | void {
      if (!callback) return this.#start();
      // At once: an error of the server may come together with its greeting, and the pool must listen by then.
      if (!this.#needsSettings()) return super.connect(callback);
      this.on('error', () => {}); // what is asked next is rejected with the same error
      this.#start().then(() => (callback as () => void)(), callback);
      return undefined;
    }

    #needsSettings(): boolean {
      return route.isPooled && (way === 'direct' || !route.isPerTransaction);
    }

    async #start(): Promise<pg.Client> {
      await super.connect();
      if (this.#needsSettings()) await this.query(laterSettings(limits));
      return this;
    }
  };
}

/** Creates separate connections, not yet connected. The caller ends them and listens to their 'error' event. */
export function createClientFor(url: string) {
  const route = routeOf(url);
  return (limits: Limits = {}) => new (clientClass(route, 'direct', limits))();
}

export function createPool(url: string, limits: Limits & { size?: number; way?: Way } = {}): pg.Pool {
  const { Pool } = library();
  const pool = new Pool({
    Client: clientClass(routeOf(url), limits.way ?? 'direct', limits),
    connectionTimeoutMillis: CONNECT_MS,
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
  const { Client } = library();
  const clients = routeOf(url).pooled.map((each) => new Client({ connectionString: each }));
  const { user, database } = clients[0]!;
  const hosts = clients.map(({ host, port }) => `${shownHost(host)}:${port}`).join();
  return `postgres://${encodeURIComponent(user ?? '')}@${hosts}/${encodeURIComponent(database ?? '')}`;
}

function shownHost(host: string): string {
  if (host.startsWith('/')) return encodeURIComponent(host);
  return host.includes(':') ? `[${host}]` : host;
}

interface PoolWatch {
  /** The server may be in trouble. */
  suspect: (cause: unknown) => void;
  /** Whether it is not known to be. */
  isWell: () => boolean;
}

/** The pool as Kysely uses it: trouble with the server comes as one error that every door can render, and a broken connection is thrown away. */
export function kyselyPool(pool: pg.Pool, place: string, { suspect, isWell }: PoolWatch): PostgresPool {
  const readable = (error: unknown): unknown => {
    if (!isServerFailure(error)) return error;
    suspect(error);
    return unavailable(place, error);
  };
  /** Nothing was sent yet, so it can be tried again. */
  async function connect(): Promise<pg.PoolClient> {
    for (const until = performance.now() + BLIP_MS; ; await sleep(PAUSE_MS))
      try {
        return await pool.connect();
      } catch (error) {
        suspect(error);
        if (!isServerFailure(error) || !isWell() || performance.now() > until) throw error;
      }
  }
  return {
    async connect() {
      try {
        return wrap(await connect(), { readable, connect });
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

interface WrapParts {
  readable: (error: unknown) => unknown;
  connect: () => Promise<pg.PoolClient>;
}

function wrap(first: pg.PoolClient, { readable, connect }: WrapParts): PostgresPoolClient {
  let client = first;
  let broken = false;
  let isFirst = true;
  let isReleased = false;
  const query = async (sql: string, parameters: readonly unknown[]) => {
    const canRepeat = isFirst && isRead(sql);
    isFirst = false;
    const send = () => client.query<Record<string, unknown>>(sql, parameters.map(storable));
    try {
      for (const blip = createBlip(); ;)
        try {
          return await send();
        } catch (error) {
          if (!canRepeat || !wasCut(error) || blip.isOver(error)) throw error;
          client.release(true);
          // Until there is another one, nothing is left to release.
          isReleased = true;
          client = await connect();
          isReleased = false;
        }
    } catch (error) {
      if (isServerFailure(error)) broken = true;
      throw readable(error);
    }
  };
  const release = () => isReleased || client.release(broken);
  return { query: query as unknown as PostgresPoolClient['query'], release: () => void release() };
}
