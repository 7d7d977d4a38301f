import type { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createBadRequests, createRejectedRequests } from '../log/index.ts';
import { createApp, type App, type AppWorkers } from '../app.ts';
import { lockDataDir, textDigest, type DataDirLock } from '../config/daemon/index.ts';
import {
  createGuard,
  createHttpServer,
  createLoginCallback,
  createPageFiles,
  createWebDoor,
  createSecureCheck,
  createWebSessions,
  readPublicPlace,
  type GuardSettings,
  type PublicPlace,
} from '../doors/http/index.ts';
import { durationMs, type Config } from '../contract/config.ts';
import { monotonicClock, systemClock, type Clock } from '../lib/clock.ts';
import { localUrl } from '../contract/routes/client.ts';
import type { Log } from '../lib/log.ts';
import { createMcpEndpoint, type McpEndpoint } from '../doors/mcp/index.ts';
import type { Installation } from './place.ts';
import { splitAddress } from './split-address.ts';
import { keepHeapSmall } from './node-settings.ts';
import { VERSION } from './version.ts';

/** The built web UI: beside the built code, and for tests that run the source in dist/. */
const PAGES = import.meta.url.endsWith('.ts') ? '../../dist/web/' : '../web/';
const PAGE_DIR = fileURLToPath(new URL(PAGES, import.meta.url));

export interface Daemon {
  app: App;
  mcp: McpEndpoint;
  url: string;
  /** When the last request arrived, by `performance.now()`. */
  lastRequest: () => number;
  /** Resolves when all servers are starting and the built-in ones are ready. */
  connecting: Promise<void>;
  /** Says that it is not ready, and waits for `drain_delay` while it serves as before. */
  leave(): Promise<void>;
  /** Stops accepting, lets calls in flight finish until the deadline, ends every child process, closes the log. */
  stop(): Promise<void>;
}

/** Time for calls in flight to finish, then for their answers to be sent. */
const DRAIN_MS = 20_000;
const LAST_ANSWERS_MS = 3_000;
/** Failed authentications that are recorded one by one; further ones are only counted. */
const DENIALS_PER_MINUTE = 100;

interface DaemonOptions {
  /** Absent: the configured address. */
  listen?: string;
  /** True: where the address is taken, any port of this machine will do. */
  orAnyPort?: boolean;
  log: Log;
  lock?: DataDirLock;
  clock?: Clock;
  workers?: WorkerParts;
}

/** What one of several processes behind one port has to do with the others. */
export interface WorkerParts extends AppWorkers {
  /** The socket at which the first one answers what is not MCP. */
  path: string;
  isFirst: boolean;
  index: number;
  /** Where all of them are reached. */
  url: string;
  /** The process that started this one gives it its connections. */
  onConnection: (take: (socket: Socket) => void) => void;
}

/** Locks the data directory, listens, and connects the servers. A process that locks a data directory also listens, so that others find it. */
export async function startDaemon(place: Installation, options: DaemonOptions): Promise<Daemon> {
  keepHeapSmall();
  const { log, clock = systemClock, workers } = options;
  const lock = options.lock ?? lockDataDir(place.dataDir);
  let listening: string | null = null;
  let app: App | undefined;
  let isLeaving = false;
  try {
    app = await createApp({
      ...place,
      version: VERSION,
      log,
      clock,
      isDaemon: true,
      listen: () => listening,
      workers,
    });
    const { host, port } = splitAddress(options.listen ?? place.config.current().listen);
    const mcp = createMcpEndpoint(app.mcp);
    app.onListChanged((list, concerns) => mcp.listChanged(list, concerns));
    app.tokens.onEnded((token) => mcp.endToken(token));
    const settings = guardSettings(app, host);
    const endedFile = join(place.dataDir, 'ended_sessions.json');
    const isSecure = createSecureCheck(() => place.config.current().trusted_proxies);
    const publicPlace = () => settings().publicPlace;
    const sessions = createWebSessions({
      apiKey: () => settings().apiKey,
      clock,
      endedFile,
      isSecure,
      publicPlace,
    });
    const guard = createGuard({ settings, tokens: app.tokens, log, sessions, cliSecret: lock.cliSecret });
    let requested = performance.now();
    const { rest } = app;
    const ready = readiness(app, () => isLeaving);
    const http = createHttpServer({
      guard,
      web: createWebDoor({
        guard,
        sessions,
        links: app.loginLinks,
        page: createPageFiles(PAGE_DIR),
        loginCallback: createLoginCallback(app.finishLogin),
      }),
      mcp: (req, res, caller) => {
        requested = performance.now();
        return mcp.handle(req, res, caller);
      },
      rest: (...args) => {
        requested = performance.now();
        return rest(...args);
      },
      publicPlace,
      worker: workers,
      ready,
      rejection: app.refusal,
      shares: app.shares,
      rejectedRequests: createRejectedRequests({ ...app, clock, log }),
      connections: () => place.config.current().limits.connections,
      badRequests: createBadRequests({ ...app, clock: monotonicClock, log, perMinute: DENIALS_PER_MINUTE }),
      log,
    });
    const address = await http.listen(host, port).catch((error: unknown) => {
      if (!options.orAnyPort) throw error;
      log.warn({ err: error, address: options.listen }, 'listening at another port');
      return http.listen('127.0.0.1', 0);
    });
    listening = address.url;
    const url = localUrl(address.url);
    const { config } = place;
    const publish = () =>
      lock.publish({ url, config: { file: config.file, digest: textDigest(config.validText()) } });
    publish();
    config.subscribe(publish);
    config.onWaiting(publish);
    const connecting = app
      .connect()
      .then(() => mcp.resumeTasks())
      .catch((error: unknown) => log.error({ err: error }, 'the servers cannot be started'));
    const running = app;
    // One that takes the place of another worker is asked only when it is ready, and then says so at once.
    if (workers) ready();
    return {
      app: running,
      mcp,
      url,
      lastRequest: () => requested,
      connecting,
      async leave() {
        isLeaving = true;
        const delay = durationMs(place.config.current().drain_delay);
        if (delay === 0) return;
        log.info({ ms: delay }, 'not ready any more: waiting until load balancers have noticed');
        await sleep(delay);
      },
      async stop() {
        isLeaving = true;
        // Clients that look for a daemon wait for the next one.
        withdraw(lock, log);
        // New MCP requests get 503, those on their way too. Streams and calls that wait for a person end, so that the stop does not wait for them.
        const closed = http.close(DRAIN_MS + LAST_ANSWERS_MS);
        running.stopStreams();
        // Calls that are still running get OUTCOME_UNKNOWN instead of a closed connection. The regular close below reports errors.
        const late = setTimeout(() => void running.upstreams.close().catch(() => {}), DRAIN_MS);
        await Promise.all([closed, mcp.close()]);
        mcp.flush();
        clearTimeout(late);
        await running.close();
        lock.release();
      },
    };
  } catch (error) {
    await app?.close();
    lock.release();
    throw error;
  }
}

/** A full disk must not prevent the end. */
function withdraw(lock: DataDirLock, log: Log): void {
  try {
    lock.withdraw();
  } catch (error) {
    log.warn({ err: error }, 'clients are not told that this process ends');
  }
}

function guardSettings(app: App, listenHost: string) {
  // The key is read once: a change requires a restart, and a request must not read a file.
  const apiKey = app.apiKey();
  let made: { from: Config; settings: GuardSettings & { publicPlace: PublicPlace | undefined } } | undefined;
  // Once per configuration and not per request.
  return () => {
    const from = app.config.current();
    if (made?.from === from) return made.settings;
    const {
      require_mcp_auth: requireMcpAuth,
      allowed_hosts: allowedHosts,
      trusted_proxies: trustedProxies,
      public_url: publicUrl,
    } = from;
    const publicPlace = publicUrl === undefined ? undefined : readPublicPlace(publicUrl);
    const settings = {
      apiKey,
      requireMcpAuth,
      allowedHosts: publicPlace ? [...allowedHosts, publicPlace.host] : allowedHosts,
      trustedProxies,
      publicPlace,
      listenHost,
    };
    made = { from, settings };
    return settings;
  };
}

function readiness(app: App, isLeaving: () => boolean) {
  let tried = false;
  let waiting = false;
  return () => {
    if (!tried && !waiting) {
      waiting = true;
      void app.upstreams.settled().then(() => (tried = true));
    }
    const states: Record<string, number> = {};
    for (const { state } of app.upstreams.views()) states[state] = (states[state] ?? 0) + 1;
    const { log: writable, rollback } = app.activity.state();
    const log = writable === 'ok' && rollback ? ('rolled_back' as const) : writable;
    const stopping = isLeaving();
    return { ready: tried && log === 'ok' && !stopping, states, log, stopping };
  };
}
