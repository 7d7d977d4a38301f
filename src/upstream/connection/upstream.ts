import { durationMs, type ConfiguredServer } from '../../contract/config.ts';
import type { ServerView } from '../../contract/status.ts';
import { visibleLine } from '../../lib/visible-text.ts';
import { Breaker, Bulkhead, RetryBudget } from '../../load/index.ts';
import type { Memory } from './connect.ts';
import { describeError } from './describe-error.ts';
import { keepConnected, type KeepParts } from './keep-connected.ts';
import { LaneError, type Lane } from '../transport/lane.ts';
import { LogRing, MAX_LINE_BYTES, type LogLine } from './log-ring.ts';
import { openServer, type OpenBuiltin, type OpenServer } from './open-server.ts';
import { RetiredConnections } from './retired-connections.ts';
import { ServerStatus, type StatusParts } from './server-status.ts';
import { resolveServer, type Resolve, type ResolvedServer } from './secrets.ts';
import { serverView } from './server-view.ts';
import { ServerListing, type ToolsListener } from './server-listing.ts';
import { RefreshTimer } from './tool-refresh.ts';
import type { JsonObject } from '../../json/index.ts';

export interface UpstreamParts extends StatusParts {
  callTimeoutMs: () => number;
  clientInfo: { name: string; version: string };
  resolve: Resolve;
  onTools: ToolsListener;
  patienceMs?: number | undefined;
}

const DEFAULT_CONCURRENCY = 32;

/**
 * One server: its connection, kept open and made again when it breaks, and what is known of it.
 * connecting → ready ↔ degraded → failed, and disabled.
 */
export class Upstream {
  readonly name: string;
  readonly builtin: boolean;
  readonly bulkhead: Bulkhead;
  readonly breaker = new Breaker();
  readonly retries = new RetryBudget();
  readonly status: ServerStatus;
  readonly #parts: UpstreamParts;
  readonly #open: OpenBuiltin | undefined;
  readonly #ring: LogRing;
  readonly #memory: Memory = {};
  readonly #listing: ServerListing;
  #config: ConfiguredServer;
  #resolved: ResolvedServer | undefined;
  #restarts = 0;
  #connection: OpenServer | undefined;
  readonly #retired = new RetiredConnections();
  #timer: RefreshTimer | undefined;
  #stop: AbortController | undefined;
  #life: Promise<void> = Promise.resolve();
  #tried: Promise<void> = Promise.resolve();

  constructor(name: string, config: ConfiguredServer, parts: UpstreamParts, open?: OpenBuiltin) {
    this.name = name;
    this.builtin = open !== undefined;
    this.#open = open;
    this.#config = config;
    this.#parts = parts;
    this.#ring = new LogRing(parts.clock);
    this.status = new ServerStatus(name, parts);
    this.#listing = new ServerListing({
      server: name,
      builtin: this.builtin,
      onTools: parts.onTools,
      log: parts.log,
      shown: (text) => this.shown(text),
    });
    this.bulkhead = new Bulkhead(config.concurrency ?? DEFAULT_CONCURRENCY);
  }

  get lane(): Lane | undefined {
    return this.#connection?.lane;
  }

  /** Why its configuration cannot be used. */
  get problem(): string | undefined {
    return this.#config.problem === undefined ? undefined : visibleLine(this.#config.problem);
  }

  /** Resolves when the server was tried once since it was started: it is ready, or it failed. */
  get tried(): Promise<void> {
    return this.#tried;
  }

  limitMs(): number {
    const { timeout } = this.#config;
    const general = this.#parts.callTimeoutMs();
    return timeout === undefined ? general : Math.min(durationMs(timeout), general);
  }

  headersFor(tool: string, args: JsonObject): Record<string, string> | undefined {
    return this.#listing.headersFor(tool, args);
  }

  /** Text that came from the server, made safe to show. */
  shown(text: string, limit = 500): string {
    return this.#resolved?.shown(text, limit) ?? visibleLine(text.slice(0, limit));
  }

  /** `after`: what has to be over first, as two processes of a server may get into each other's way. */
  start(after?: Promise<unknown>): void {
    if (this.#stop) return;
    const stop = new AbortController();
    this.#stop = stop;
    let tried!: () => void;
    this.#tried = new Promise((done) => (tried = done));
    this.status.set('connecting');
    this.#life = Promise.resolve(after)
      .catch(() => undefined)
      .then(() => this.#keepConnected(stop.signal, tried))
      .finally(tried);
  }

  /** Ends the connection and every process of it; what was in flight fails. */
  async stop(): Promise<void> {
    this.#stop?.abort();
    this.#stop = undefined;
    const open = this.#connection;
    this.#letGo();
    await Promise.all([this.#retired.close(), open?.close()]);
    await this.#life;
  }

  async disable(): Promise<void> {
    this.forgetTools();
    await this.stop();
    this.status.set('disabled', this.problem);
  }

  /** Its configuration cannot be used: it is listed, and not started. */
  async fail(problem: string): Promise<void> {
    this.forgetTools();
    await this.stop();
    this.status.set('failed', visibleLine(problem));
  }

  /** Ends, as another connection takes the name over. Whoever still waits here is told that it comes back. */
  async giveWay(next: Upstream): Promise<void> {
    // What is built in is trusted without being looked at, so that nothing of it may be taken for another server's, nor the other way.
    if (next.builtin !== this.builtin) this.forgetTools();
    this.status.state = 'connecting';
    await this.stop();
  }

  async restart(): Promise<void> {
    this.status.set('connecting');
    await this.stop();
    this.#restarts++;
    this.start();
  }

  /** Settings that hold for the next call and need no new connection. */
  configure(config: ConfiguredServer): void {
    this.#config = config;
    this.bulkhead.limit = config.concurrency ?? DEFAULT_CONCURRENCY;
  }

  forgetTools(): void {
    this.#listing.forget();
  }

  refreshSoon(): void {
    this.#timer?.soon();
  }

  noteFailure(reason: string): void {
    this.status.callFailed(reason, this.#connection !== undefined);
  }

  view(): ServerView {
    return serverView({
      name: this.name,
      builtin: this.builtin,
      config: this.#config,
      status: this.status,
      sse: this.#memory.sse === true,
      connection: this.#connection,
      toolCount: this.#listing.count,
      restarts: this.#restarts,
      inFlight: this.bulkhead.inFlight,
      queued: this.bulkhead.queued,
      breaker: this.breaker.state,
      retries: this.retries.spent,
      shown: (text) => this.shown(text),
    });
  }

  logs(tail: number): { lines: LogLine[]; dropped: number } {
    const { lines, dropped } = this.#ring.tail(tail);
    return {
      lines: lines.map(({ time, text }) => ({ time, text: this.shown(text, MAX_LINE_BYTES) })),
      dropped,
    };
  }

  #keepConnected(signal: AbortSignal, tried: () => void): Promise<void> {
    const parts: KeepParts<OpenServer> = {
      connect: () => this.#connect(signal).finally(() => (this.status.waiting = undefined)),
      lost: (connection, reason, often) => this.#lost(connection, reason, often, signal),
      failed: (error) => this.status.set('failed', this.shown(describeError(error))),
      tried,
      again: () => void this.#restarts++,
    };
    return keepConnected(parts, signal);
  }

  async #lost(connection: OpenServer, reason: string, often: boolean, signal: AbortSignal): Promise<void> {
    this.#letGo();
    // Ending the last grandchild may take seconds, in which nobody should be told that it is ready.
    if (!signal.aborted) this.status.set(often ? 'failed' : 'connecting', this.shown(reason));
    await this.#retired.retire(connection, signal);
  }

  async #connect(signal: AbortSignal): Promise<OpenServer> {
    const { clientInfo, resolve } = this.#parts;
    const options = {
      memory: this.#memory,
      clientInfo,
      signal,
      patienceMs: this.#parts.patienceMs,
      onToolsChanged: () => this.refreshSoon(),
      startedAgain: () => void this.#restarts++,
    };
    const eraBefore = this.#memory.era;
    const resolved = resolveServer(this.#config, resolve);
    this.#resolved = resolved;
    this.status.waitFor('first_answer');
    const connection = await openServer(
      { config: this.#config, builtin: this.#open, resolved, ring: this.#ring },
      options,
    );
    this.status.waitFor('tool_list');
    // Whoever stops the server does not wait for a list that it may never give.
    const stop = (): void => void connection.close();
    signal.addEventListener('abort', stop, { once: true });
    try {
      signal.throwIfAborted();
      await this.#listing.read(connection, () => !signal.aborted);
      signal.throwIfAborted();
    } catch (error) {
      // A server that ends here may have been sent the opening of the other era too; the next start keeps to the one that it answered.
      if (eraBefore !== undefined || !isLost(error)) delete this.#memory.era;
      await connection.close();
      throw error;
    } finally {
      signal.removeEventListener('abort', stop);
    }
    this.#connection = connection;
    this.#timer = new RefreshTimer(() => this.#refresh(connection));
    this.status.ready();
    this.breaker.reset();
    return connection;
  }

  async #refresh(connection: OpenServer): Promise<boolean> {
    try {
      if (!(await this.#listing.read(connection, () => this.#connection === connection))) return false;
      this.status.refreshWorked();
      return true;
    } catch (error) {
      if (this.#connection !== connection) return false;
      const reason = this.shown(`the list of tools could not be read again: ${describeError(error)}`);
      this.status.refreshFailed(reason);
      if (isLost(error)) connection.drop(reason);
      return false;
    }
  }

  #letGo(): void {
    this.#timer?.stop();
    this.#timer = undefined;
    this.#connection = undefined;
  }
}

function isLost(error: unknown): boolean {
  return error instanceof LaneError && (error.fault === 'unsent' || error.fault === 'lost');
}
