import { createActivity, type Activity, type ActivityParts } from './activity/activity.ts';
import type { RecordDraft } from './activity/recorder.ts';
import { toJson } from './activity/to-json.ts';
import { createApprovals, type Approvals } from './approval/approvals.ts';
import { channelOf } from './approval/channel.ts';
import { createNotifier } from './approval/notify.ts';
import { readProxyId } from './approval/proxy-id.ts';
import { createExplain } from './call/explain-call.ts';
import { conversationQuestion } from './call/question.ts';
import type { Assistant } from './agent/assistant.ts';
import { clientOf, createAdmission } from './call/admission.ts';
import { createCallTool, type CallTool } from './call/call-tool.ts';
import { createResultScan } from './call/scan-results.ts';
import { createArgumentChecker } from './catalog/argument-checker.ts';
import { createCatalog } from './catalog/catalog.ts';
import { createKnownTools } from './catalog/known-tools.ts';
import { readApiKey } from './config/api-key.ts';
import { resolveSecrets } from './config/secrets.ts';
import type { ConfigStore } from './config/store.ts';
import type { Identity } from './contract/caller.ts';
import { durationMs, type Config } from './contract/config.ts';
import { createLoginLinks } from './http/login-links.ts';
import { readStateKey } from './db/state-key.ts';
import { openDatabase, type Database, type DatabasePlace } from './db/database.ts';
import { createRest } from './http/rest.ts';
import { monotonicClock, systemClock, type Clock } from './lib/clock.ts';
import { createEventBus } from './lib/event-bus.ts';
import type { Log } from './lib/log.ts';
import { createStateSeal } from './lib/state-seal.ts';
import { createToolHandler } from './mcp/handle-tool.ts';
import { createHeldRounds } from './mcp/held-rounds.ts';
import { listProxyTools } from './mcp/tool-list.ts';
import { PROTOCOL_REVISIONS } from './mcp/wire.ts';
import { watchLoop } from './observe/loop-watch.ts';
import { createMetrics } from './observe/metrics.ts';
import { openTracing } from './observe/tracing.ts';
import { createTokens } from './token/tokens.ts';
import { createDispatch } from './upstream/dispatch.ts';
import { createUpstreams } from './upstream/upstreams.ts';

export interface AppOptions {
  config: ConfigStore;
  dataDir: string;
  database: DatabasePlace;
  version: string;
  log: Log;
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

/** Loaded only where it is used: most proxies have a file of their own. */
async function openActivity(db: Database, parts: Omit<ActivityParts, 'db'>): Promise<Activity> {
  if (db.engine === 'sqlite') return createActivity({ db, ...parts });
  const { createPostgresActivity } = await import('./activity/postgres/activity.ts');
  return createPostgresActivity({ db, ...parts });
}

/** Puts the parts together. The one file that knows all of them; what they have to do with each other is said here. */
async function compose(
  db: Database,
  { config, dataDir, version, log, listen, clock = systemClock }: AppOptions,
) {
  const events = createEventBus();
  const stopping = new AbortController();
  const activity = await openActivity(db, {
    dataDir,
    settings: () => config.current().activity,
    clock,
    log,
  });
  const noted = (draft: RecordDraft) => void activity.open(draft).close({ status: 'success' });
  const knownTools = await createKnownTools(db, log);
  const catalog = createCatalog({
    store: knownTools,
    config: config.current,
    events,
    record: noted,
    log,
    clock,
  });
  const upstreams = createUpstreams({
    builtin: {
      tasks: async () => (await import('./tasks/transport.ts')).createTasksTransport({ db, clock }),
    },
    callTimeoutMs: () => durationMs(config.current().call_timeout),
    resolve: resolveSecrets,
    clock,
    events,
    log,
    version,
  });
  upstreams.onTools((server, tools, info) =>
    tools ? catalog.replace(server, tools, info) : catalog.remove(server),
  );

  const tokens = await createTokens({ db, clock, log });
  const argumentChecker = createArgumentChecker();
  const stateSeal = createStateSeal(await readStateKey(db), clock);
  const approvals: Approvals = await createApprovals({
    kysely: db.kysely,
    channel: channelOf(db),
    config: () => config.current().approvals,
    activity,
    retentionDays: () => config.current().activity.retention_days,
    events,
    mask: toJson,
    instance: readProxyId(dataDir),
    questionFor: (draft) => conversationQuestion({ config: config.current(), catalog, approvals }, draft),
    notify: createNotifier({ command: () => config.current().approvals.notify, log }),
    clock,
    log,
  });
  const tracing = await openTracing({ env: process.env, version, log });
  const { tracer } = tracing;
  const stalls = watchLoop({ log });
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
  const road = createCallTool({
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
  });
  const callTool = metrics.measured(road);
  const loginLinks = createLoginLinks(clock);
  const callNoted: CallTool = (request) => {
    tokens.noteCall(request.caller);
    return callTool(request);
  };
  const handleTool = createToolHandler({
    config: config.current,
    catalog,
    activity,
    callTool: callNoted,
    inRounds: createHeldRounds({ approvals, seal: stateSeal, log }),
    log,
  });
  let assistant: Promise<Assistant> | undefined;
  const openAssistant = async () => {
    const agent = await import('./agent/open-assistant.ts');
    return agent.openAssistant({ db, approvals, catalog, callTool: callNoted, activity, clock });
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

  const unsubscribe = config.subscribe(async (next) => {
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
      listTools: () => listProxyTools(config.current()),
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
    refusal: (caller: Identity) => admission.refusal(clientOf(caller)),
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
      approvals.letGo();
    },
    async close() {
      stopping.abort();
      stalls.stop();
      unsubscribe();
      await config.close();
      approvals.close();
      await upstreams.close();
      knownTools.close();
      await catalog
        .flush()
        .catch((error: unknown) => log.error({ err: error }, 'tools learnt last are not kept'));
      await tokens.close();
      await activity.close();
      await tracing.close();
      await db.close();
    },
  };
}
