import { backoffMs, pause } from '../../load/index.ts';
import { LoginNeeded } from '../auth/login-error.ts';
import { LaneError } from '../transport/lane.ts';
import { describeError, type OpenServer } from './open-server.ts';
import { RefreshTimer, type ServerListing } from './server-listing.ts';
import type { Memory } from './server-memory.ts';
import type { ServerStatus } from './server-status.ts';

export interface KeeperParts {
  status: ServerStatus;
  listing: ServerListing;
  /** Opens a connection with the present settings. */
  open: (signal: AbortSignal) => Promise<OpenServer>;
  /** The first answer of a program, or the connection to a URL. */
  waitsFor: 'first_answer' | 'connection';
  /** How the server was reached when it last ran. */
  memory: Memory;
  onReady: (memory: Memory) => void;
  /** Makes a text of the server safe to show. */
  shown: (text: string) => string;
  /** Resolves when somebody has logged in to the server. */
  untilLogin: (signal: AbortSignal) => Promise<void>;
  /** Why the server cannot be used without a log-in, if that is so. */
  loginFailure: () => Error | undefined;
}

/** After a connection of this length, the next failure counts as the first. */
const STABLE_MS = 30_000;
const SHORT_CONNECTIONS_UNTIL_FAILED = 3;

/** Keeps one server connected until it is stopped: reconnects with a growing delay, and refreshes the list of tools. */
export class ConnectionKeeper {
  /** The connection in use, if there is one. */
  connection: OpenServer | undefined;
  restarts = 0;
  readonly memory: Memory;
  readonly #parts: KeeperParts;
  /** Replaced HTTP connections whose calls are still in flight. */
  readonly #draining = new Set<OpenServer>();
  #timer: RefreshTimer | undefined;
  #stop: AbortController | undefined;
  #running: Promise<void> = Promise.resolve();
  #firstAttempt: Promise<void> = Promise.resolve();

  constructor(parts: KeeperParts) {
    this.#parts = parts;
    this.memory = parts.memory;
  }

  /** Resolves when the first attempt since the start has ended: the server is ready, or it failed. */
  get firstAttempt(): Promise<void> {
    return this.#firstAttempt;
  }

  /** `after`: what must have ended first, because two processes of one server may conflict. */
  start(after?: Promise<unknown>): void {
    if (this.#stop) return;
    const stop = new AbortController();
    this.#stop = stop;
    let attempted!: () => void;
    this.#firstAttempt = new Promise((done) => (attempted = done));
    this.#parts.status.set('connecting');
    this.#running = Promise.resolve(after)
      // Why the previous connection could not be ended is reported by that connection.
      .catch(() => undefined)
      .then(() => this.#run(stop.signal, attempted))
      .finally(attempted);
  }

  /** Ends the connection and all its processes. Calls in flight fail. */
  async stop(): Promise<void> {
    this.#stop?.abort();
    this.#stop = undefined;
    const open = this.connection;
    this.#detach();
    await Promise.all([...this.#draining, ...(open ? [open] : [])].map((connection) => connection.close()));
    await this.#running;
  }

  refreshSoon(): void {
    this.#timer?.soon();
  }

  async #run(signal: AbortSignal, attempted: () => void): Promise<void> {
    const { status, shown } = this.#parts;
    for (let failures = 0; !signal.aborted; this.restarts++) {
      try {
        const connection = await this.#connect(signal).finally(() => (status.waiting = undefined));
        const readyAt = performance.now();
        attempted();
        const reason = await connection.closed;
        failures = performance.now() - readyAt > STABLE_MS ? 1 : failures + 1;
        this.#detach();
        // Set first: ending the last grandchild may take seconds, in which the server must not appear ready.
        const state = failures > SHORT_CONNECTIONS_UNTIL_FAILED ? 'failed' : 'connecting';
        if (!signal.aborted && status.state !== 'needs_login') status.set(state, shown(reason));
        await this.#retire(connection, signal);
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof LoginNeeded) {
          status.set('needs_login', shown(error.message));
          attempted();
          await this.#parts.untilLogin(signal);
          failures = 0;
          continue;
        }
        failures++;
        status.set('failed', shown(describeError(error)));
      }
      if (signal.aborted) return;
      attempted();
      await pause(backoffMs(failures), signal);
      if (signal.aborted) return;
    }
  }

  async #connect(signal: AbortSignal): Promise<OpenServer> {
    const { status, open, onReady, waitsFor, loginFailure } = this.#parts;
    const eraBefore = this.memory.era;
    status.waitFor(waitsFor);
    const connection = await open(signal);
    status.waitFor('tool_list');
    try {
      await this.#readFirstList(connection, signal);
    } catch (error) {
      // A server that ends here may also have received the request of the other era; the next start uses only the one that it answered.
      if (eraBefore !== undefined || !isLost(error)) delete this.memory.era;
      await connection.close();
      throw loginFailure() ?? error;
    }
    this.connection = connection;
    this.#timer = new RefreshTimer(() => this.#refresh(connection));
    status.ready();
    onReady(this.memory);
    return connection;
  }

  async #readFirstList(connection: OpenServer, signal: AbortSignal): Promise<void> {
    // A stop must not wait for a list that may never arrive.
    const stop = (): void => void connection.close();
    signal.addEventListener('abort', stop, { once: true });
    try {
      signal.throwIfAborted();
      await this.#parts.listing.read(connection, () => !signal.aborted);
      signal.throwIfAborted();
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  async #refresh(connection: OpenServer): Promise<boolean> {
    const { status, listing, shown } = this.#parts;
    try {
      if (!(await listing.read(connection, () => this.connection === connection))) return false;
      status.recordRefreshSuccess();
      return true;
    } catch (error) {
      if (this.connection !== connection) return false;
      const reason = shown(`the list of tools could not be refreshed: ${describeError(error)}`);
      status.recordRefreshFailure(reason);
      if (isLost(error)) connection.drop(reason);
      return false;
    }
  }

  /** Over HTTP each call in flight has its own exchange, which may still be answered while a new session is opened. */
  async #retire(connection: OpenServer, signal: AbortSignal): Promise<void> {
    if (!connection.http || connection.lane.size === 0 || signal.aborted) return connection.close();
    this.#draining.add(connection);
    void connection.lane
      .idle()
      .then(() => connection.close())
      .finally(() => this.#draining.delete(connection));
  }

  #detach(): void {
    this.#timer?.stop();
    this.#timer = undefined;
    this.connection = undefined;
  }
}

function isLost(error: unknown): boolean {
  return error instanceof LaneError && (error.fault === 'unsent' || error.fault === 'lost');
}
