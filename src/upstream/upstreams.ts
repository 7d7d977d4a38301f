import type { Cancellation, ResourceWatcher } from '../contract/call.ts';
import type { ConfiguredServer } from '../contract/config.ts';
import { ProxyError } from '../contract/errors.ts';
import type { ServerTest, ServerView } from '../contract/status.ts';
import type { AskMethod } from './asks/capabilities.ts';
import type { Clock } from '../lib/clock.ts';
import type { EventBus } from '../lib/event-bus.ts';
import type { Log } from '../lib/log.ts';
import type { LogLine } from './connection/log-ring.ts';
import type { OpenBuiltin, ShareProgram } from './connection/open-server.ts';
import type { Resolve } from './connection/secrets.ts';
import type { ServerMemory } from './connection/server-memory.ts';
import type { ItemsListener } from './connection/item-listing.ts';
import type { ToolsListener } from './connection/server-listing.ts';
import { createLogIns, type LogIns } from './auth/log-ins.ts';
import { NO_LOGINS, type LoginStore } from './auth/login-store.ts';
import type { ServerAuth } from './auth/server-auth.ts';
import { tryServer, type Trial } from './connection/try-server.ts';
import { Upstream, type UpstreamParts } from './connection/upstream.ts';
import { featuresOf } from './sessions/leases.ts';

/** All servers. Nothing here can call a tool: only `dispatch.ts` can. */
export interface Upstreams {
  /** Starts, stops and changes servers until they match the configuration. Servers with unchanged start settings keep their process. */
  apply(servers: Record<string, ConfiguredServer>): Promise<void>;
  views(): ServerView[];
  has(name: string): boolean;
  view(name: string): ServerView | undefined;
  /** Resolves when a server that is starting has started or failed, or at the limit. Undefined: it is not starting. Throws SERVER_BUSY if too many calls wait. */
  whenStarted(name: string, limitMs: () => number, signal: Cancellation): Promise<void> | undefined;
  restart(name: string): Promise<ServerView>;
  /** Connects to a server with these settings, beside the one that runs, and lists what it offers. */
  test(trial: Trial): Promise<ServerTest>;
  /** Log-ins to servers, by the operator. */
  readonly logIns: LogIns;
  logs(name: string, tail: number): { lines: LogLine[]; dropped: number };
  /** A client has ended, or its roots have changed: the connections that it had for itself are closed. */
  retireClient(key: string): void;
  /** Called with the tools of a server whenever they change; with null when the server is removed. Returns the function that unsubscribes. */
  onTools(listener: ToolsListener): () => void;
  /** The same for prompts, resources and templates. */
  onItems(listener: ItemsListener): () => void;
  /** A client has left: it watches no resources any more. */
  unwatch(watcher: ResourceWatcher): void;
  /** Resolves when every enabled server was tried once, or after the limit. */
  settled(limitMs?: number): Promise<void>;
  close(): Promise<void>;
}

export interface UpstreamsOptions {
  /** Servers that run inside this process, by name. */
  builtin: Record<string, OpenBuiltin>;
  callTimeoutMs: () => number;
  clock: Clock;
  events: EventBus;
  log: Log;
  /** Replaces secret references by their values. */
  resolve: Resolve;
  /** The version that the proxy reports to servers. */
  version?: string;
  /** How long a stdio server may stay silent before `initialize` is sent as well; for tests. */
  patienceMs?: number;
  /** Remembers the protocol of each server across restarts. */
  memory?: ServerMemory;
  /** Names of variables that programs inherit beyond the usual ones. */
  inheritEnv?: () => readonly string[];
  /** Keeps log-ins to servers; absent: none is possible. */
  logins?: LoginStore;
  /** Where the browser comes back to after a log-in. */
  redirectUri?: () => string;
  clientMetadataUrl?: () => string | undefined;
  /** A server asked for something that no client could be asked for. */
  onUnheardAsk?: (server: string, method: AskMethod) => void;
  /** Where several workers share the programs of stdio servers. */
  share?: ShareProgram | undefined;
}

const DEFAULT_REDIRECT = 'http://127.0.0.1:8080/oauth/callback';

const SETTLE_LIMIT_MS = 30_000;
const RESTART_LIMIT_MS = 15_000;

interface Entry {
  upstream: Upstream;
  /** The settings whose change needs a new connection. */
  startKey: string;
}

/** From the public object to its connections. Kept here, so that code that has the object cannot call a tool with it. */
const connections = new WeakMap<Upstreams, ReadonlyMap<string, Entry>>();

/** For the dispatcher alone. */
export function connectionsOf(upstreams: Upstreams): ReadonlyMap<string, { upstream: Upstream }> {
  const found = connections.get(upstreams);
  if (!found) throw new TypeError('not made by createUpstreams');
  return found;
}

export function createUpstreams(options: UpstreamsOptions): Upstreams {
  const listeners = new Set<ToolsListener>();
  const itemListeners = new Set<ItemsListener>();
  const entries = new Map<string, Entry>();
  const parts: UpstreamParts = {
    inheritEnv: () => [],
    ...options,
    clientInfo: { name: 'mcpproxy', version: options.version ?? '0.0.0' },
    onItems: (server, kind, items) => itemListeners.forEach((listener) => listener(server, kind, items)),
    onTools: (server, tools, info) => listeners.forEach((listener) => listener(server, tools, info)),
  };
  let closed = false;
  let turn: Promise<void> = Promise.resolve();

  const find = (name: string): Upstream => {
    const entry = entries.get(name);
    if (!entry)
      throw new ProxyError(
        'NOT_FOUND',
        `Server '${name}' not found. For the names run: mcpproxy upstream list`,
        {
          server: name,
        },
      );
    return entry.upstream;
  };

  async function remove(name: string): Promise<void> {
    const { upstream } = entries.get(name)!;
    entries.delete(name);
    upstream.forgetTools();
    await upstream.stop();
  }

  /** A server of the configuration replaces the built-in server of the same name. */
  function builtinFor(name: string, config: ConfiguredServer): OpenBuiltin | undefined {
    const isOwn = config.command !== undefined || config.url !== undefined || config.problem !== undefined;
    return !isOwn && Object.hasOwn(options.builtin, name) ? options.builtin[name] : undefined;
  }

  async function applyOne(name: string, config: ConfiguredServer): Promise<void> {
    const openBuiltin = builtinFor(name, config);
    const startKey = openBuiltin ? 'builtin' : startKeyOf(config, parts.inheritEnv());
    const present = entries.get(name);
    const kept = present?.startKey === startKey ? present.upstream : undefined;
    const upstream =
      kept ??
      new Upstream(name, config, {
        ...parts,
        openBuiltin,
        ...(openBuiltin ? { memory: undefined } : { definition: definitionOf(config) }),
      });
    entries.set(name, { upstream, startKey });
    upstream.configure(config);
    // Until the new connection has listed its tools, those known last stay; whether they are trusted is for the catalog to decide.
    const replaced = kept ? undefined : present?.upstream.replaceBy(upstream);
    await startOrStop(upstream, config, replaced);
    await replaced;
    // A built-in server is ready in a moment, and callers expect it to be there.
    if (upstream.builtin && config.enabled !== false && !closed) await upstream.firstAttempt;
  }

  async function startOrStop(
    upstream: Upstream,
    { enabled, problem }: ConfiguredServer,
    replaced: Promise<void> | undefined,
  ): Promise<void> {
    if (enabled === false) await upstream.disable();
    else if (problem !== undefined) await upstream.fail(problem);
    else if (!closed) upstream.start(replaced);
  }

  async function applyAll(servers: Record<string, ConfiguredServer>): Promise<void> {
    if (closed) return;
    const wanted = new Map([
      ...Object.keys(options.builtin).map((name) => [name, {}] as const),
      ...Object.entries(servers),
    ]);
    const gone = [...entries.keys()].filter((name) => !wanted.has(name));
    await Promise.all([...gone.map(remove), ...[...wanted].map(([name, config]) => applyOne(name, config))]);
  }

  function authOf(name: string): ServerAuth {
    const { auth } = find(name);
    if (auth) return auth;
    throw new ProxyError(
      'CONFLICT',
      `Server '${name}' has no log-in: it is no url, has an Authorization header, or "oauth" is false`,
      { server: name },
    );
  }

  const upstreams: Upstreams = {
    logIns: createLogIns({
      store: options.logins ?? NO_LOGINS,
      authOf,
      redirectUri: options.redirectUri ?? (() => DEFAULT_REDIRECT),
      onChanged: (name) => void entries.get(name)?.upstream.reconnect(),
      clock: options.clock,
    }),
    apply(servers) {
      // One at a time: concurrent changes would act on entries that the other is about to replace.
      turn = turn.then(() => applyAll(servers));
      return turn;
    },
    views: () =>
      [...entries.values()].map(({ upstream }) => upstream.view()).sort((a, b) => (a.name < b.name ? -1 : 1)),
    has: (name) => entries.has(name),
    view: (name) => entries.get(name)?.upstream.view(),
    whenStarted: (name, limitMs, signal) => entries.get(name)?.upstream.status.whenStarted(limitMs, signal),
    async restart(name) {
      const upstream = find(name);
      if (!upstream.view().enabled) {
        throw new ProxyError('CONFLICT', `Server '${name}' is disabled; enable it instead`, {
          server: name,
        });
      }
      const { problem } = upstream;
      if (problem !== undefined)
        throw new ProxyError('CONFLICT', `Server '${name}' cannot be started: ${problem}`, { server: name });
      await upstream.restart();
      await within(upstream.firstAttempt, RESTART_LIMIT_MS);
      return upstream.view();
    },
    test: (trial) => {
      const auth = trial.name === undefined ? undefined : entries.get(trial.name)?.upstream.auth;
      return tryServer(trial, { ...parts, auth });
    },
    logs: (name, tail) => find(name).logs(tail),
    retireClient(key) {
      for (const { upstream } of entries.values()) upstream.clients.retire(key);
    },
    onTools(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onItems(listener) {
      itemListeners.add(listener);
      return () => itemListeners.delete(listener);
    },
    unwatch(watcher) {
      for (const { upstream } of entries.values()) {
        upstream.watches.releaseAll(watcher);
        upstream.clients.unwatchAll(watcher);
      }
    },
    async settled(limitMs = SETTLE_LIMIT_MS) {
      await within(
        turn.then(() => Promise.all([...entries.values()].map(({ upstream }) => upstream.firstAttempt))),
        limitMs,
      );
    },
    async close() {
      closed = true;
      // The change in progress reports its error; the stop only waits for its end.
      await turn.catch(() => undefined);
      await Promise.all([...entries.values()].map(({ upstream }) => upstream.stop()));
    },
  };
  connections.set(upstreams, entries);
  return upstreams;
}

/** Tool verdicts, limits and `enabled` do not affect the connection. */
function startKeyOf(config: ConfiguredServer, inherited: readonly string[]): string {
  const { startup_timeout: startup, connect_timeout: connect, idle_timeout: idle, problem } = config;
  const { sampling, elicitation, roots } = featuresOf(config);
  const asks = [config.sharing, sampling, elicitation, roots];
  return JSON.stringify([definitionOf(config), startup, connect, idle, problem, inherited, asks]);
}

/** What the server is. A server that is defined in another way is another one. */
function definitionOf(config: ConfiguredServer): string {
  const { command, args = [], env = {}, env_file: file, cwd, url, headers = {}, type, oauth } = config;
  const parts = [command, args, sorted(env), file, cwd, url, sorted(headers), type];
  return JSON.stringify(oauth === undefined ? parts : [...parts, oauth]);
}

function sorted(values: Record<string, string>): Array<[string, string]> {
  return Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1));
}

async function within(work: Promise<unknown>, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((done) => (timer = setTimeout(done, limitMs)));
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
