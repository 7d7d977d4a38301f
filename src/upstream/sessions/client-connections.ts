import { ProxyError } from '../../contract/errors.ts';
import type { JsonObject } from '../../json/index.ts';
import type { AskTarget } from '../asks/lane-asks.ts';
import type { ResourceWatcher } from '../../contract/call.ts';
import type { OpenServer } from '../connection/open-server.ts';
import { ResourceWatches, type WatchedBy } from '../connection/resource-watches.ts';
import { hasFairShare } from '../../load/index.ts';
import type { Lane } from '../transport/lane.ts';

/** The client of a call, as far as a server has to do with it. */
export interface ClientSession extends AskTarget {
  /** Clients with the same key share what the server keeps for a client. */
  readonly key: string;
  /** True: the key may stand for several programs, so each of their connections serves one call at a time. */
  readonly isExclusive: boolean;
  /** What the client says that it can be asked for. */
  readonly capabilities: JsonObject;
  /** The least severe log messages that the client wants. */
  readonly logLevel?: string | undefined;
}

/** Whose a question is. A key that may stand for several programs does not tell it, but the session of one call does. */
export const askerOf = (session: ClientSession): unknown => (session.isExclusive ? session : session.key);

export interface ClientConnectionsParts {
  server: string;
  open: (
    session: ClientSession,
    signal: AbortSignal,
    onResourceUpdated: (uri: string) => void,
  ) => Promise<OpenServer>;
  /** The subscriptions on the shared connection. */
  watches: Pick<ResourceWatches, 'of'>;
  limit: () => number;
  idleMs: () => number;
}

/** The connection of a client, for one call. */
export interface Lease {
  /** Undefined: the one that clients share. */
  lane: Lane | undefined;
  release(): void;
}

interface Entry {
  key: string;
  /** Whose credential the client has: its connections are a share of all. */
  client: string;
  opening: Promise<OpenServer>;
  connection: OpenServer | undefined;
  level: string | undefined;
  /** What the client watches there, too. */
  watches: ResourceWatches;
  /** The server has answered to the subscriptions that the client had before, or has had the time for it. */
  subscribed: Promise<unknown>;
  calls: number;
  usedAt: number;
  /** It serves the calls that it has, and no further ones. */
  isRetired: boolean;
}

const SUBSCRIBE_MS = 5_000;
const SWEEP_MS = 1_000;
/** One that has rested this long may be closed in favour of another client. */
const RESTED_MS = 10_000;

/** The connections of one server that belong to one client each: bounded in number, and closed when they are not used. */
export class ClientConnections {
  readonly #parts: ClientConnectionsParts;
  readonly #entries = new Set<Entry>();
  #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: ClientConnectionsParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#entries.size;
  }

  has(session: ClientSession): boolean {
    if (this.#entries.size === 0) return false;
    const { key } = session;
    for (const entry of this.#entries) if (entry.key === key && !entry.isRetired) return true;
    return false;
  }

  async lease(session: ClientSession, client: string): Promise<Lease> {
    const entry = this.#find(session) ?? this.#add(session, client);
    entry.calls++;
    const release = (): void => {
      entry.calls--;
      entry.usedAt = performance.now();
      if (entry.isRetired && entry.calls === 0) void this.#close(entry);
    };
    try {
      const connection = await entry.opening;
      await entry.subscribed;
      connection.lane.asks.owner = session;
      await this.#setLevel(entry, connection, session.logLevel);
      return { lane: connection.lane, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** The client has ended, or what the server knows of it is out of date. Calls in flight go on. */
  retire(key: string): void {
    for (const entry of this.#entries) {
      if (entry.key !== key) continue;
      entry.isRetired = true;
      if (entry.calls === 0) void this.#close(entry);
    }
  }

  /** The client subscribes to a resource on its own connections. Whether the server has accepted it on one. */
  async watch(uri: string, watcher: ResourceWatcher, by: WatchedBy): Promise<boolean> {
    const own = [...this.#entries].filter(({ key, isRetired }) => key === by.session && !isRetired);
    const added = own.map(async ({ opening, watches }) => {
      await opening;
      await watches.add(uri, watcher, by);
    });
    return (await Promise.allSettled(added)).some(({ status }) => status === 'fulfilled');
  }

  async unwatch(uri: string, watcher: ResourceWatcher): Promise<void> {
    await Promise.allSettled([...this.#entries].map(({ watches }) => watches.release(uri, watcher)));
  }

  /** The client has left. */
  unwatchAll(watcher: ResourceWatcher): void {
    for (const { watches } of this.#entries) watches.releaseAll(watcher);
  }

  /** The server stops or is started again. */
  async closeAll(): Promise<void> {
    this.#stop.abort();
    this.#stop = new AbortController();
    await Promise.all([...this.#entries].map((entry) => this.#close(entry)));
  }

  #find({ key, isExclusive }: ClientSession): Entry | undefined {
    for (const entry of this.#entries)
      if (entry.key === key && !entry.isRetired && !(isExclusive && entry.calls > 0)) return entry;
    return undefined;
  }

  #add(session: ClientSession, client: string): Entry {
    if (!hasFairShare(this.#countOf(client), this.#entries.size, this.#parts.limit())) this.#makeRoom(client);
    const watches = new ResourceWatches({
      server: this.#parts.server,
      connection: () => entry.connection,
      limitMs: () => SUBSCRIBE_MS,
    });
    const opening = this.#parts.open(session, this.#stop.signal, (uri) => watches.updated(uri));
    const entry: Entry = {
      key: session.key,
      client,
      opening,
      connection: undefined,
      level: undefined,
      watches,
      subscribed: Promise.resolve(),
      calls: 0,
      usedAt: performance.now(),
      isRetired: false,
    };
    this.#entries.add(entry);
    opening.then(
      (connection) => {
        connection.lane.asks.owner = session;
        entry.connection = connection;
        // A resource that the server does not have there is watched on the shared connection all the same.
        const added = Array.from(this.#parts.watches.of(entry.key), (watched) => watches.add(...watched));
        entry.subscribed = withinLimit(Promise.allSettled(added));
        void connection.closed.then(() => this.#close(entry));
      },
      // The call that waits for it gets the error.
      () => this.#entries.delete(entry),
    );
    this.#timer ??= setInterval(() => this.#sweep(), SWEEP_MS).unref();
    return entry;
  }

  #countOf(client: string): number {
    return [...this.#entries].filter((entry) => entry.client === client).length;
  }

  /** Closes one that is not in use: one that has rested, or one of a client that has more than this one would have. */
  #makeRoom(client: string): void {
    const [now, limit, own] = [performance.now(), this.#parts.limit(), this.#countOf(client)];
    const isFull = this.#entries.size >= limit;
    const found = [...this.#entries]
      .filter(({ calls, client: other }) => calls === 0 && (isFull || other === client))
      .sort((a, b) => a.usedAt - b.usedAt)
      .find(({ usedAt, client: other }) => now - usedAt >= RESTED_MS || this.#countOf(other) > own + 1);
    if (found) return void this.#close(found);
    throw tooMany(this.#parts.server, limit, isFull);
  }

  async #setLevel(
    entry: Entry,
    { lane, offers, modern }: OpenServer,
    level: string | undefined,
  ): Promise<void> {
    if (level === undefined || level === entry.level || modern || !offers.includes('logging')) return;
    entry.level = level;
    await lane.setLogLevel(level);
  }

  #sweep(): void {
    const limit = performance.now() - this.#parts.idleMs();
    for (const entry of this.#entries) {
      const isIdle = entry.calls === 0 && entry.usedAt < limit && entry.watches.size === 0;
      if (isIdle && entry.connection) void this.#close(entry);
    }
    if (this.#entries.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #close(entry: Entry): Promise<void> {
    if (!this.#entries.delete(entry)) return;
    // The error of opening it was reported to its call; one that cannot be closed has ended already.
    await entry.opening.then((connection) => connection.close()).catch(() => undefined);
  }
}

/** A call does not wait for a server that leaves subscriptions unanswered. */
function withinLimit(work: Promise<unknown>): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((done) => (timer = setTimeout(done, SUBSCRIBE_MS).unref()));
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

function tooMany(server: string, limit: number, isFull: boolean): ProxyError {
  const has = isFull
    ? `has ${limit} ${limit === 1 ? 'client' : 'clients'} with a connection of their own, which is its limit (client_connections)`
    : `gives one client four fifths of its ${limit} connections at most (client_connections)`;
  return new ProxyError(
    'SERVER_BUSY',
    `Server '${server}' ${has}; the call was not sent. Try again when another client has ended`,
    { server, client_connections: limit, sent: false, retry_after_s: RESTED_MS / 1000 },
  );
}
