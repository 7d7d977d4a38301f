import { durationMs, type ConfiguredServer } from '../../contract/config.ts';
import type { ServerView } from '../../contract/status.ts';
import type { JsonObject } from '../../json/index.ts';
import { visibleLine } from '../../lib/visible-text.ts';
import { Breaker, Bulkhead, RetryBudget } from '../../load/index.ts';
import type { Lane } from '../transport/lane.ts';
import { authSettings, canLogIn } from '../auth/auth-settings.ts';
import type { LoginStore } from '../auth/login-store.ts';
import { ServerAuth } from '../auth/server-auth.ts';
import { ConnectionKeeper } from './connection-keeper.ts';
import { LogRing, MAX_LINE_BYTES, type LogLine } from './log-ring.ts';
import {
  openServer,
  type OpenBuiltin,
  type OpenOptions,
  type OpenServer,
  type ShareProgram,
} from './open-server.ts';
import { ResourceWatches } from './resource-watches.ts';
import { resolveServer, type Resolve, type ResolvedServer } from './secrets.ts';
import type { ItemsListener } from './item-listing.ts';
import { ServerListing, type ToolsListener } from './server-listing.ts';
import type { ServerMemory } from './server-memory.ts';
import { ServerStatus, type StatusParts } from './server-status.ts';
import { serverView } from './server-view.ts';
import { permittedCapabilities, sharedCapabilities, type AskMethod } from '../asks/capabilities.ts';
import { featuresOf } from '../sessions/leases.ts';
import { ClientConnections, type ClientSession, type Lease } from '../sessions/client-connections.ts';
import { Leases } from '../sessions/leases.ts';

export interface UpstreamParts extends StatusParts {
  callTimeoutMs: () => number;
  clientInfo: { name: string; version: string };
  resolve: Resolve;
  onTools: ToolsListener;
  onItems: ItemsListener;
  patienceMs?: number | undefined;
  /** The names of further variables that programs inherit. */
  inheritEnv: () => readonly string[];
  memory?: ServerMemory | undefined;
  /** Under which its protocol is remembered. */
  definition?: string;
  /** Opens a server that runs inside this process. */
  openBuiltin?: OpenBuiltin | undefined;
  /** Keeps the log-ins to servers; absent: there are none. */
  logins?: LoginStore | undefined;
  /** The client ID metadata document of this proxy. */
  clientMetadataUrl?: (() => string | undefined) | undefined;
  /** A server asked for something that no client could be asked for. */
  onUnheardAsk?: ((server: string, method: AskMethod) => void) | undefined;
  /** Where several workers share the programs of servers. */
  share?: ShareProgram | undefined;
}

const DEFAULT_CONCURRENCY = 32;
const DEFAULT_CLIENT_CONNECTIONS = 16;
const DEFAULT_CLIENT_IDLE_MS = 600_000;

/**
 * One server: its settings, its state, its tools, and what its calls share (bulkhead, circuit breaker, retry budget).
 * connecting → ready ↔ degraded → failed, and disabled.
 */
export class Upstream {
  readonly name: string;
  readonly builtin: boolean;
  readonly bulkhead: Bulkhead;
  readonly breaker = new Breaker();
  readonly retries = new RetryBudget();
  readonly status: ServerStatus;
  readonly watches: ResourceWatches;
  readonly #parts: UpstreamParts;
  readonly #ring: LogRing;
  readonly #listing: ServerListing;
  readonly #keeper: ConnectionKeeper;
  /** The log-in to it, if it can have one. */
  readonly auth: ServerAuth | undefined;
  /** The connections that belong to one client each. */
  readonly clients: ClientConnections;
  readonly #leases: Leases;
  #config: ConfiguredServer;
  #resolved: ResolvedServer | undefined;
  /** The next connection needs a new program, also where workers share it. */
  #isFresh = false;

  constructor(name: string, config: ConfiguredServer, parts: UpstreamParts) {
    this.name = name;
    this.builtin = parts.openBuiltin !== undefined;
    this.#config = config;
    this.#parts = parts;
    this.#ring = new LogRing(parts.clock);
    this.status = new ServerStatus(name, parts);
    const shown = (text: string): string => this.shown(text);
    const { builtin } = this;
    this.#listing = new ServerListing({
      server: name,
      builtin,
      onTools: parts.onTools,
      onItems: parts.onItems,
      log: parts.log,
      shown,
    });
    this.watches = new ResourceWatches({
      server: name,
      connection: () => this.#keeper.connection,
      limitMs: () => this.limitMs(),
    });
    this.bulkhead = new Bulkhead(config.concurrency ?? DEFAULT_CONCURRENCY);
    this.auth = this.#createAuth();
    this.clients = new ClientConnections({
      server: name,
      open: (session, ...when) => this.#openFor(session, ...when),
      watches: this.watches,
      limit: () => this.#config.client_connections ?? DEFAULT_CLIENT_CONNECTIONS,
      idleMs: () => durationOr(this.#config.client_idle, DEFAULT_CLIENT_IDLE_MS),
    });
    this.#leases = new Leases({
      clients: this.clients,
      config: () => this.#config,
      isBuiltin: builtin,
      onQuiet: () => this.#learn(false),
    });
    this.#keeper = new ConnectionKeeper({
      status: this.status,
      listing: this.#listing,
      open: (signal) => this.#open(signal),
      waitsFor: config.url === undefined ? 'first_answer' : 'connection',
      memory: parts.memory?.recall(parts.definition ?? '') ?? {},
      onReady: (memory) => {
        this.breaker.reset();
        this.watches.connected();
        parts.memory?.keep(parts.definition ?? '', memory);
      },
      shown,
      untilLogin: (signal) => this.auth?.untilChanged(signal) ?? Promise.resolve(),
      loginFailure: () => this.auth?.failure,
    });
  }

  get lane(): Lane | undefined {
    return this.#keeper.connection?.lane;
  }

  /** The client's own connection; undefined: the call uses the one that clients share. */
  leaseFor(session: ClientSession, client: string): Promise<Lease> | undefined {
    const { connection, memory } = this.#keeper;
    return connection && this.#leases.leaseFor({ session, client }, connection, memory.asks);
  }

  /** Why its configuration cannot be used. */
  get problem(): string | undefined {
    return this.#config.problem === undefined ? undefined : visibleLine(this.#config.problem);
  }

  /** Resolves when the first attempt since the start has ended: the server is ready, or it failed. */
  get firstAttempt(): Promise<void> {
    return this.#keeper.firstAttempt;
  }

  limitMs(): number {
    const { timeout } = this.#config;
    const general = this.#parts.callTimeoutMs();
    return timeout === undefined ? general : Math.min(durationMs(timeout), general);
  }

  headersFor(tool: string, args: JsonObject): Record<string, string> | undefined {
    // A program on stdio gets no headers.
    return this.#config.url === undefined ? undefined : this.#listing.headersFor(tool, args);
  }

  /** Text that came from the server, made safe to show. */
  shown(text: string, limit = 1500): string {
    const safe = this.auth?.masked(text) ?? text;
    return this.#resolved?.shown(safe, limit) ?? visibleLine(safe.slice(0, limit));
  }

  start(after?: Promise<unknown>): void {
    this.#keeper.start(after);
  }

  async stop(): Promise<void> {
    this.status.releaseWaiters();
    await Promise.all([this.#keeper.stop(), this.clients.closeAll()]);
  }

  async disable(): Promise<void> {
    this.forgetTools();
    await this.stop();
    this.status.set('disabled', this.problem);
  }

  /** Its configuration cannot be used: it is listed, but not started. */
  async fail(problem: string): Promise<void> {
    this.forgetTools();
    await this.stop();
    this.status.set('failed', visibleLine(problem));
  }

  /** Stops because `next` takes over the name. Calls that still wait here are told that the server is connecting. */
  async replaceBy(next: Upstream): Promise<void> {
    // Tools of a built-in server are trusted without a scan, so tools must never pass between a built-in server and another one.
    if (next.builtin !== this.builtin) this.forgetTools();
    this.status.state = 'connecting';
    await this.stop();
  }

  async restart(): Promise<void> {
    this.status.set('connecting');
    this.auth?.forget();
    await this.stop();
    this.#keeper.restarts++;
    this.#isFresh = true;
    this.start();
  }

  /** After a log-in or log-out. A server that is switched off stays so. */
  async reconnect(): Promise<void> {
    if (this.#config.enabled === false || this.problem !== undefined) return;
    await this.restart();
  }

  /** Applies settings that take effect with the next call, without a new connection. */
  configure(config: ConfiguredServer): void {
    this.#config = config;
    this.bulkhead.limit = config.concurrency ?? DEFAULT_CONCURRENCY;
  }

  forgetTools(): void {
    this.#listing.forget();
  }

  refreshSoon(): void {
    this.#keeper.refreshSoon();
  }

  recordCallFailure(reason: string): void {
    this.status.recordCallFailure(reason, this.#keeper.connection !== undefined);
  }

  view(): ServerView {
    const { memory, connection, restarts } = this.#keeper;
    return serverView({
      name: this.name,
      builtin: this.builtin,
      config: this.#config,
      status: this.status,
      sse: memory.sse === true,
      connection,
      toolCount: this.#listing.count,
      problems: this.#listing.items.problems,
      unknownTools: this.#listing.missing(Object.keys(this.#config.tools ?? {})),
      restarts,
      inFlight: this.bulkhead.inFlight,
      queued: this.bulkhead.queued,
      breaker: this.breaker.state,
      retries: this.retries.spent,
      shown: (text) => this.shown(text),
      login: this.auth?.view(),
    });
  }

  logs(tail: number): { lines: LogLine[]; dropped: number } {
    const { lines, dropped } = this.#ring.tail(tail);
    return {
      lines: lines.map(({ time, text }) => ({ time, text: this.shown(text, MAX_LINE_BYTES) })),
      dropped,
    };
  }

  #open(signal: AbortSignal): Promise<OpenServer> {
    const capabilities = sharedCapabilities(featuresOf(this.#config), this.#config.sharing ?? 'auto');
    const hasRoots = capabilities.roots !== undefined;
    return this.#openWith({
      memory: this.#keeper.memory,
      signal,
      capabilities,
      clients: {
        isShared: true,
        isMixed: this.#parts.share !== undefined,
        hasRoots,
        onAsk: (method, isHeard) => this.#recordAsk(method, isHeard),
      },
      onToolsChanged: () => this.refreshSoon(),
      onResourceUpdated: (uri) => this.watches.updated(uri),
      onRestart: () => void this.#keeper.restarts++,
    });
  }

  /** A further connection, for one client. The tools are those of the shared one. */
  #openFor(
    { capabilities }: ClientSession,
    signal: AbortSignal,
    onResourceUpdated: (uri: string) => void,
  ): Promise<OpenServer> {
    return this.#openWith({
      memory: { ...this.#keeper.memory },
      signal,
      capabilities: permittedCapabilities(featuresOf(this.#config), capabilities),
      clients: { isShared: false },
      onToolsChanged: () => undefined,
      onResourceUpdated,
      onRestart: () => undefined,
    });
  }

  /** The server asks clients, which is remembered: from the next call on each client that can answer has its own connection. */
  #recordAsk(method: AskMethod, isHeard: boolean): void {
    const { memory } = this.#keeper;
    if (!isHeard) this.#parts.onUnheardAsk?.(this.name, method);
    if (!memory.asks) this.#learn(true);
  }

  #learn(asks: boolean): void {
    const { memory } = this.#keeper;
    memory.asks = asks;
    this.#parts.memory?.keep(this.#parts.definition ?? '', memory);
  }

  async #openWith(options: Omit<OpenOptions, 'clientInfo' | 'patienceMs'>): Promise<OpenServer> {
    const { clientInfo, resolve, patienceMs, openBuiltin, inheritEnv, share } = this.#parts;
    const resolved = resolveServer(this.#config, resolve);
    this.#resolved = resolved;
    const isFresh = this.#isFresh;
    if (options.clients?.isShared) this.#isFresh = false;
    return openServer(
      {
        config: this.#config,
        builtin: openBuiltin,
        resolved,
        ring: this.#ring,
        inherit: inheritEnv(),
        auth: this.auth,
        share,
        isFresh,
      },
      { ...options, clientInfo, patienceMs },
    );
  }

  #createAuth(): ServerAuth | undefined {
    const { logins: store, clock, log, resolve, clientMetadataUrl } = this.#parts;
    if (!store || !canLogIn(this.#config)) return undefined;
    return new ServerAuth({
      server: this.name,
      store,
      settings: () => authSettings(this.#config, resolve, clientMetadataUrl?.()),
      isConfigured: this.#config.oauth !== undefined,
      clock,
      log,
      onNeeded: (reason, isTotal) => {
        this.status.set('needs_login', this.shown(reason));
        if (isTotal) this.#keeper.connection?.drop(reason);
      },
    });
  }
}

function durationOr(given: string | undefined, otherwise: number): number {
  return given === undefined ? otherwise : durationMs(given);
}
