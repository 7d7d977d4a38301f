import { setTimeout as pause } from 'node:timers/promises';
import { createConfigRecords, type ConfigRecords } from './log/index.ts';
import {
  createExplain,
  createResultScan,
  createRoad,
  overloadErrorFor,
  type CallTool,
  type Wrapper,
} from './road/index.ts';
import { loadAssistant, type Assistant } from './assistant/index.ts';
import { createAdmission } from './load/index.ts';
import { createArgumentChecker } from './catalog/index.ts';
import { openParts, type PartsOptions } from './app-parts.ts';
import { configDigestKey, readApiKey } from './config/index.ts';
import type { Identity } from './contract/call.ts';
import type { Config } from './contract/config.ts';
import type { Status } from './contract/status.ts';
import { ProxyError } from './contract/errors.ts';
import { createFinishLogin, createLoginLinks, createRest } from './doors/http/index.ts';
import { openDatabase, type Database, type DatabaseLocation } from './db/index.ts';
import { monotonicClock, newId, systemClock, type Clock } from './lib/clock.ts';
import {
  PROTOCOL_REVISIONS,
  createApprovalRounds,
  createItemDoor,
  createListTools,
  createDeclaredHeaders,
  createMenu,
  createToolHandler,
  listProxyTools,
  watchLists,
  type ListListener,
  type McpClient,
  type ResumeCall,
} from './doors/mcp/index.ts';
import {
  createCallLog,
  createMetrics,
  createServerChanges,
  openTracing,
  watchEventLoop,
  type Series,
} from './observe/index.ts';
import { createEventNotifier } from './approval/index.ts';
import { createDispatch } from './upstream/dispatch/dispatch.ts';

/** Of several processes behind one port. */
export interface AppWorkers extends NonNullable<PartsOptions['workers']> {
  /** The process that started them. */
  pid: number;
  list(): NonNullable<Status['workers']>;
  /** The metrics of all of them. */
  sumWith(own: Series): Promise<string>;
}

export interface AppOptions extends Omit<PartsOptions, 'clock' | 'workers'> {
  database: DatabaseLocation;
  clock?: Clock;
  /** True: each start is recorded, not only a start with another configuration. */
  isDaemon?: boolean;
  workers?: AppWorkers | undefined;
}

export type App = Awaited<ReturnType<typeof createApp>>;

const INSTRUCTIONS =
  'Find tools with retrieve_tools, then call each by the variant in its call_with: call_tool_read, call_tool_write or call_tool_destructive.';

const DIRECT_INSTRUCTIONS =
  'Tools are named server__tool; call them by these names. Their annotations say whether they read, write or are destructive.';

const WARM_UP_MS = 1000;
const START_RECORD_MS = 5_000;

export async function createApp(options: AppOptions) {
  const db = await openDatabase({ ...options.database, log: options.log });
  try {
    return await compose(db, options);
  } catch (error) {
    await db.close();
    throw error;
  }
}

/** Connects the parts, the road and the doors. How the parts relate to each other is in `app-parts.ts`. */
async function compose(db: Database, { clock = systemClock, ...options }: AppOptions) {
  const { config, dataDir, version, log } = options;
  const stopping = new AbortController();
  const parts = await openParts(db, {
    config,
    dataDir,
    version,
    log,
    clock,
    listen: options.listen,
    workers: options.workers,
  });
  const { activity, approvals, catalog, events, items, knownTools, shares, tokens, upstreams } = parts;
  const argumentChecker = createArgumentChecker();
  const observers = await openObservers(parts, { config, version, log });
  const { admission, tracing, stalls } = observers;
  const menu = createMenu({ catalog, config: config.current, log });
  events.on(({ name }) => name === 'tools' && menu.toolsChanged());
  const core: Core = { ...options, ...parts, ...observers, db, clock, argumentChecker, menu };
  const callTool = createCallTool(core);
  const mcp = createMcpDoor(core, callTool);
  const loginLinks = createLoginLinks(clock);
  // An edit of the file does not choose the program that tells of it.
  let notifyProgram = config.current().approvals.notify;
  const configRecords = createConfigRecords({
    activity,
    config,
    dataDir,
    key: configDigestKey(dataDir),
    proxy: parts.proxyId,
    isRestored: parts.isRestored,
    notify: createEventNotifier({ command: () => notifyProgram, log }),
    clock,
    log,
  });
  const rest = createRestDoor(core, { callTool, configRecords, loginLinks, stopping: stopping.signal });

  configRecords.started({ isDaemon: options.isDaemon ?? false });
  // The record of the configuration comes before the first call, unless the log cannot be written now.
  if (options.isDaemon)
    await Promise.race([configRecords.close(), pause(START_RECORD_MS, undefined, { ref: false })]);
  config.keepIn(dataDir);
  const serverChanges = createServerChanges({
    activity,
    events,
    view: (name) => upstreams.view(name),
    clock,
    log,
  });
  const unsubscribe = config.subscribe(async (next, previous, origin) => {
    configRecords.changed(next, origin);
    if (origin.from !== 'file') notifyProgram = next.approvals.notify;
    catalog.refreshConfig();
    items.refreshConfig();
    if (JSON.stringify(next.activity) !== JSON.stringify(previous.activity)) void sweep();
    await upstreams.apply(next.mcpServers);
    events.emit('config', { ok: true, message: 'configuration reloaded' });
  });
  /** Limits of the log hold at once when they are changed. */
  const sweep = () =>
    activity.sweep().catch((error: unknown) => log.warn({ err: error }, 'old records could not be removed'));
  config.onError((message) => events.emit('config', { ok: false, message }));

  return {
    config,
    activity,
    upstreams,
    tokens,
    rest,
    series: () => observers.metrics.series(),
    loginLinks,
    finishLogin: createFinishLogin({ activity, logIns: upstreams.logIns }),
    mcp,
    /** Calls the listener when the result of a list changes, with the clients that this concerns. */
    onListChanged: (listener: ListListener) => {
      const written = (now: Config) => JSON.stringify([listProxyTools(now), now.mode, now.direct]);
      const stopLists = watchLists({ events, items, modeOf: mcp.modeOf }, listener);
      const stopConfig = config.subscribe((next, previous) => {
        if (written(next) !== written(previous)) listener('tools', () => true);
      });
      return () => {
        stopLists();
        stopConfig();
      };
    },
    /** The refusal of a call that cannot get a slot, before its body is read. */
    refusal: (caller: Identity) => overloadErrorFor(admission, caller),
    shares,
    apiKey: () => readApiKey({ dataDir, config: config.current() }),
    /** Starts the configured servers; resolves once the built-in ones are ready. `upstreams.settled()` resolves once all were tried. */
    connect() {
      // Loading the validator takes 0.1 s, which the first caller should not wait for.
      setTimeout(() => config.current().validate_arguments && argumentChecker.warmUp(), WARM_UP_MS).unref();
      parts.revisions.announce();
      return upstreams.apply(config.current().mcpServers);
    },
    /** Ends event streams and answers calls that wait for an approval, so that draining does not wait for them. */
    stopStreams() {
      stopping.abort();
      approvals.releaseWaiters();
    },
    async close() {
      stopping.abort();
      stalls.stop();
      unsubscribe();
      await parts.revisions.close();
      await config.close();
      approvals.close();
      await upstreams.close();
      serverChanges.close();
      knownTools.close();
      await Promise.all([catalog.flush(), items.flush()]).catch((error: unknown) =>
        log.error({ err: error }, 'the tools seen last could not be stored'),
      );
      await tokens.close();
      parts.relay.close();
      parts.closeRows();
      await configRecords.close();
      await activity.close();
      await tracing.close();
      await db.close();
    },
  };
}

type Parts = Awaited<ReturnType<typeof openParts>>;
type Observers = Awaited<ReturnType<typeof openObservers>>;

/** Everything that the road and the doors are made of. */
interface Core extends Parts, Observers, Omit<AppOptions, 'clock'> {
  db: Database;
  clock: Clock;
  argumentChecker: ReturnType<typeof createArgumentChecker>;
  menu: ReturnType<typeof createMenu>;
}

/** Traces, metrics, the watch of the event loop, and the admission whose state they report. */
async function openObservers(
  { activity, approvals, tokens, upstreams, revisions }: Parts,
  { config, version, log }: Pick<AppOptions, 'config' | 'version' | 'log'>,
) {
  const tracing = await openTracing({ env: process.env, version, log });
  const stalls = watchEventLoop({ log });
  const admission = createAdmission(() => config.current().limits);
  const metrics = createMetrics({
    calls: () => admission.state(),
    servers: () => upstreams.views(),
    isServer: (name) => upstreams.has(name),
    log: () => activity.state(),
    sharedConfig: () => revisions.state(),
    approvals: () => approvals.pending(),
    tokens: () => tokens.counts(),
    traces: () => tracing.state(),
    stalls: () => stalls.count(),
    version,
  });
  activity.onWrite((ms) => metrics.logWritten(ms));
  return { tracing, stalls, admission, metrics };
}

/** The road, with usage, metrics and the log line around it. */
function createCallTool(core: Core): CallTool {
  const { config, tokens, upstreams, metrics, log } = core;
  const withUsage: Wrapper = (inner) => (request) => {
    if (request.caller.source === 'mcp') tokens.recordCall(request.caller);
    return inner(request);
  };
  return createRoad(
    {
      admission: core.admission,
      config: config.current,
      catalog: core.catalog,
      items: core.items,
      servers: upstreams,
      activity: core.activity,
      approvals: core.approvals,
      argumentChecker: core.argumentChecker,
      dispatch: createDispatch(upstreams),
      stateSeal: core.stateSeal,
      relay: core.relay,
      policy: core.revisions.guard && {
        ...core.revisions.guard,
        isTokenActive: (id) => tokens.endOf(id) === undefined,
      },
      scanResult: createResultScan({ config: config.current, record: core.noted, log }),
      log,
    },
    [withUsage, metrics.withMetrics, createCallLog(log)],
  );
}

function createMcpDoor(core: Core, callTool: CallTool) {
  const { config, catalog, activity, approvals, stateSeal, version, tracing, clock, log } = core;
  const { menu } = core;
  const runInRounds = createApprovalRounds({ approvals, seal: stateSeal, log });
  return {
    items: createItemDoor({
      items: core.items,
      unwatch: (watcher) => core.upstreams.unwatch(watcher),
      callTool,
      runInRounds,
      log,
    }),
    modeOf: ({ identity, isDirect }: McpClient) =>
      isDirect ? 'direct' : (identity.token?.scope.mode ?? config.current().mode),
    declaredHeaders: createDeclaredHeaders(menu, catalog),
    handleTool: createToolHandler({
      menu,
      config: config.current,
      catalog,
      items: core.items,
      activity,
      callTool,
      runInRounds,
      log,
    }),
    listTools: createListTools(config.current, menu),
    instructions: INSTRUCTIONS,
    directInstructions: DIRECT_INSTRUCTIONS,
    version,
    activity,
    approvals,
    sessionKeeping: core.sessionKeeping,
    clientChanged: (key: string) => core.upstreams.retireClient(key),
    tracer: tracing.tracer,
    tasks: { calls: core.backgroundCalls, resume: createResume(core, callTool) },
    log,
    ...(clock !== systemClock && { clock }),
  };
}

/** Follows a background call of an earlier process to its end, as its caller, if that is still permitted. */
function createResume({ tokens }: Core, callTool: CallTool): ResumeCall {
  return async ({ caller: { principal, userId, tokenId, client }, request, serverTask }, following) => {
    const found = tokenId === undefined ? undefined : tokens.lookUp(tokenId);
    const identity = found?.state === 'active' ? found.identity : { principal, userId };
    if (tokenId !== undefined && found?.state !== 'active')
      throw new ProxyError('CANCELLED', 'The token of this call has ended, so its outcome is not fetched');
    const caller = { source: 'mcp' as const, ...identity, requestId: newId(), ...(client && { client }) };
    const { capabilities, ...asked } = request!;
    const key = `resumed ${JSON.stringify([principal, userId, tokenId ?? null])}`;
    const channel = capabilities && { key, capabilities, log: () => undefined };
    return callTool({ ...asked, ...following, caller, channel, resumes: serverTask });
  };
}

const summed = (metrics: Observers['metrics'], workers: AppWorkers) => ({
  text: async () => workers.sumWith(await metrics.series()),
  contentType: metrics.contentType,
});

interface RestOptions {
  callTool: CallTool;
  configRecords: ConfigRecords;
  loginLinks: ReturnType<typeof createLoginLinks>;
  stopping: AbortSignal;
}

function createRestDoor(core: Core, { callTool, configRecords, loginLinks, stopping }: RestOptions) {
  const { db, clock, config, activity, approvals, catalog, upstreams, admission, tracing } = core;
  let assistant: Promise<Assistant> | undefined;
  const openAssistant = async () => {
    const open = await loadAssistant();
    return open({
      db,
      approvals,
      catalog,
      callTool,
      activity,
      clock,
      config: () => config.current(),
    });
  };
  return createRest({
    menu: () => core.menu.state(),
    loginLinks,
    activity,
    catalog,
    items: core.items,
    upstreams,
    tokens: core.tokens,
    config,
    configRecords,
    callTool,
    approvals,
    explain: createExplain({
      config: config.current,
      catalog,
      servers: upstreams,
      argumentChecker: core.argumentChecker,
      approvals,
      tokenNamed: core.tokens.lookUp,
    }),
    assistant: () => (assistant ??= openAssistant()),
    events: core.events,
    info: {
      version: core.version,
      startedAt: monotonicClock.now(),
      dataDir: core.dataDir,
      database: db.place,
      protocolRevisions: PROTOCOL_REVISIONS,
      listen: core.listen,
      workers: core.workers,
    },
    metrics: core.workers ? summed(core.metrics, core.workers) : core.metrics,
    stalls: core.stalls,
    calls: () => admission.state(),
    traces: () => tracing.state(),
    changedRows: core.changedRows,
    revisions: core.revisions,
    restoreAccepted: (by) => core.restoreAccepted(by),
    tracer: tracing.tracer,
    log: core.log,
    stopping,
  });
}
