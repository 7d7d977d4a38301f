import { createConfigChanges } from './log/index.ts';
import { createExplain, createResultScan, createRoad, refusalAtDoor, type Wrapper } from './road/index.ts';
import type { Assistant } from './assistant/assistant.ts';
import { createAdmission } from './load/index.ts';
import { createArgumentChecker } from './catalog/index.ts';
import { openParts, type PartsOptions } from './app-parts.ts';
import { readApiKey } from './config/index.ts';
import type { Identity } from './contract/call.ts';
import type { Config } from './contract/config.ts';
import { createLoginLinks, createRest } from './doors/http/index.ts';
import { openDatabase, type Database, type DatabaseLocation } from './db/index.ts';
import { monotonicClock, systemClock, type Clock } from './lib/clock.ts';
import {
  PROTOCOL_REVISIONS,
  createApprovalRounds,
  createToolHandler,
  listProxyTools,
} from './doors/mcp/index.ts';
import {
  createCallLog,
  createMetrics,
  createServerChanges,
  openTracing,
  watchEventLoop,
} from './observe/index.ts';
import { createDispatch } from './upstream/dispatch/dispatch.ts';

export interface AppOptions extends Omit<PartsOptions, 'clock'> {
  database: DatabaseLocation;
  /** Where the daemon listens; null inside a command. */
  listen: () => string | null;
  clock?: Clock;
}

export type App = Awaited<ReturnType<typeof createApp>>;

const INSTRUCTIONS =
  'Find tools with retrieve_tools, then call each by the variant in its call_with: call_tool_read, call_tool_write or call_tool_destructive.';

const WARM_UP_MS = 1000;

export async function createApp(options: AppOptions) {
  const db = await openDatabase({ ...options.database, log: options.log });
  try {
    return await compose(db, options);
  } catch (error) {
    await db.close();
    throw error;
  }
}

/** Puts the road and the doors on the parts. What all of them have to do with each other is said here and in `app-parts.ts`. */
async function compose(
  db: Database,
  { config, dataDir, version, log, listen, clock = systemClock }: AppOptions,
) {
  const stopping = new AbortController();
  const parts = await openParts(db, { config, dataDir, version, log, clock });
  const { activity, approvals, catalog, events, knownTools, noted, stateSeal, tokens, upstreams } = parts;
  const argumentChecker = createArgumentChecker();
  const tracing = await openTracing({ env: process.env, version, log });
  const { tracer } = tracing;
  const stalls = watchEventLoop({ log });
  const admission = createAdmission(() => config.current().limits);
  const metrics = createMetrics({
    calls: () => admission.state(),
    servers: () => upstreams.views(),
    isServer: (name) => upstreams.has(name),
    log: () => activity.state(),
    approvals: () => approvals.pending(),
    tokens: () => tokens.counts(),
    traces: () => tracing.state(),
    stalls: () => stalls.count(),
    version,
  });
  activity.onWrite((ms) => metrics.logWritten(ms));
  const withUsage: Wrapper = (inner) => (request) => {
    if (request.caller.source === 'mcp') tokens.recordCall(request.caller);
    return inner(request);
  };
  const callTool = createRoad(
    {
      admission,
      config: config.current,
      catalog,
      servers: upstreams,
      activity,
      approvals,
      argumentChecker,
      dispatch: createDispatch(upstreams),
      stateSeal,
      scanResult: createResultScan({ config: config.current, record: noted, log }),
      log,
    },
    [withUsage, metrics.withMetrics, createCallLog(log)],
  );
  const loginLinks = createLoginLinks(clock);
  const handleTool = createToolHandler({
    config: config.current,
    catalog,
    activity,
    callTool,
    runInRounds: createApprovalRounds({ approvals, seal: stateSeal, log }),
    log,
  });
  let assistant: Promise<Assistant> | undefined;
  const openAssistant = async () => {
    const agent = await import('./assistant/open-assistant.ts');
    return agent.openAssistant({ db, approvals, catalog, callTool, activity, clock });
  };
  const rest = createRest({
    loginLinks,
    activity,
    catalog,
    upstreams,
    tokens,
    config,
    callTool,
    approvals,
    explain: createExplain({
      config: config.current,
      catalog,
      servers: upstreams,
      argumentChecker,
      approvals,
    }),
    assistant: () => (assistant ??= openAssistant()),
    events,
    info: {
      version,
      startedAt: monotonicClock.now(),
      dataDir,
      database: db.place,
      protocolRevisions: PROTOCOL_REVISIONS,
      listen,
    },
    metrics,
    stalls,
    calls: () => admission.state(),
    traces: () => tracing.state(),
    tracer,
    log,
    stopping: stopping.signal,
  });

  const configChanges = createConfigChanges({ activity, config, dataDir, log });
  configChanges.started();
  const serverChanges = createServerChanges({
    activity,
    events,
    view: (name) => upstreams.view(name),
    clock,
    log,
  });
  const unsubscribe = config.subscribe(async (next, _previous, origin) => {
    configChanges.changed(next, origin);
    catalog.refreshConfig();
    await upstreams.apply(next.mcpServers);
    events.emit('config', { ok: true, message: 'configuration reloaded' });
  });
  config.onError((message) => events.emit('config', { ok: false, message }));

  return {
    config,
    activity,
    upstreams,
    tokens,
    rest,
    loginLinks,
    mcp: {
      handleTool,
      listTools: (client: string | undefined) => listProxyTools(config.current(), client),
      instructions: INSTRUCTIONS,
      version,
      activity,
      approvals,
      tracer,
      log,
      ...(clock !== systemClock && { clock }),
    },
    /** Calls the listener when tools/list has a new answer: the schemas of the proxy's own tools follow the configuration. */
    onToolsChanged: (listener: () => void) => {
      const written = (now: Config) => JSON.stringify(listProxyTools(now));
      return config.subscribe((next, previous) => {
        if (written(next) !== written(previous)) listener();
      });
    },
    /** Whether a call of this caller would be refused for want of room, before it is read. */
    refusal: (caller: Identity) => refusalAtDoor(admission, caller),
    apiKey: () => readApiKey({ dataDir, config: config.current() }),
    /** Starts what is configured; resolves when the built-in servers are there. `upstreams.settled()` says when all were tried. */
    connect() {
      // Loading the validator takes a tenth of a second, which the first caller should not have to wait for.
      setTimeout(() => config.current().validate_arguments && argumentChecker.warmUp(), WARM_UP_MS).unref();
      return upstreams.apply(config.current().mcpServers);
    },
    /** Ends event streams and answers calls that wait for a person, so that draining need not wait for them. */
    stopStreams() {
      stopping.abort();
      approvals.releaseWaiters();
    },
    async close() {
      stopping.abort();
      stalls.stop();
      unsubscribe();
      await config.close();
      approvals.close();
      await upstreams.close();
      serverChanges.close();
      knownTools.close();
      await catalog
        .flush()
        .catch((error: unknown) => log.error({ err: error }, 'tools learnt last are not kept'));
      await tokens.close();
      await configChanges.close();
      await activity.close();
      await tracing.close();
      await db.close();
    },
  };
}
