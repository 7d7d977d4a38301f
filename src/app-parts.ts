import { join } from 'node:path';
import {
  configDigest,
  createActivity,
  shareAcceptance,
  createSealRecords,
  maskedParts,
  recordRestore,
  type Activity,
  type ActivityParts,
  type RecordDraft,
} from './log/index.ts';
import { channelOf, createApprovals, createNotifier, readProxyId, type Approvals } from './approval/index.ts';
import { conversationQuestion } from './road/index.ts';
import { createBackgroundCalls } from './background/index.ts';
import { createCatalog, createItems, createKnownTools } from './catalog/index.ts';
import { configDigestKey, resolveSecrets, type ConfigStore } from './config/index.ts';
import { durationMs, type Config } from './contract/config.ts';
import {
  createEndedMcpSessions,
  createRelay,
  createSessionSettings,
  openRowSeal,
  readStateKey,
  type Database,
} from './db/index.ts';
import { SESSION_LIFE_MS } from './doors/mcp/index.ts';
import { monotonicClock, type Clock } from './lib/clock.ts';
import { createEventBus } from './lib/event-bus.ts';
import { localUrl } from './contract/routes/client.ts';
import type { Log } from './lib/log.ts';
import { createStateSeal } from './lib/state-seal.ts';
import { createUnheardAsks } from './observe/index.ts';
import { openRevisions, type Revisions } from './revisions/index.ts';
import { createTokens, type EndedToken, type Tokens } from './token/index.ts';
import {
  createLoginCipher,
  createLoginStore,
  createServerMemory,
  createUpstreams,
  type ShareProgram,
} from './upstream/index.ts';
import { createClientShares } from './load/index.ts';

export interface PartsOptions {
  /** Where the daemon listens; null inside a command. */
  listen: () => string | null;
  config: ConfigStore;
  dataDir: string;
  version: string;
  log: Log;
  clock: Clock;
  /** Several processes on this machine share the programs of servers. */
  workers?: { share: ShareProgram } | undefined;
}

/** Digits of the digest that names the configuration in each record. */
const VERSION_DIGITS = 16;

/** Loaded only where it is used: most proxies have a file of their own. */
async function openActivity(
  db: Database,
  { onHeads, ...parts }: Omit<ActivityParts, 'db'> & { onHeads: Revisions['named'] },
): Promise<Activity> {
  if (db.engine === 'sqlite') return createActivity({ db, ...parts });
  const { createPostgresActivity } = await import('./log/postgres/index.ts');
  return createPostgresActivity({ db, onHeads, ...parts });
}

/** The parts that keep something: the log, tools, servers, tokens, approvals. None knows the others; who tells whom what is said here. */
export async function openParts(
  db: Database,
  { config, dataDir, version, log, clock, listen, workers }: PartsOptions,
) {
  const events = createEventBus();
  const limits = () => config.current().limits;
  const shares = {
    clients: createClientShares(limits, monotonicClock),
    keyless: createClientShares(limits, monotonicClock),
  };
  let revisions: Revisions | undefined;
  const digestKey = configDigestKey(dataDir);
  const activity = await openActivity(db, {
    dataDir,
    settings: () => config.current().activity,
    clock,
    log,
    policyVersion: perConfig(config, (current) =>
      String(config.revision() ?? configDigest(current, digestKey).slice(0, VERSION_DIGITS)),
    ),
    onHeads: (heads, began) => revisions?.named(heads, began),
    meter: (client, bytes) => shares.clients.addLogged(client, bytes),
  });
  const noted = (draft: RecordDraft) => void activity.open(draft).close({ status: 'success' });
  const records = createSealRecords({ activity, log });
  const rows = await openRowSeal({
    db,
    dataDir,
    now: () => clock.now(),
    report: records.broken,
    shared: db.engine === 'postgres' ? { db, log } : undefined,
  }).catch(async (error: unknown) => {
    await activity.close();
    throw error;
  });
  records.sealed(rows.sealedNow);
  const isRestored =
    (await recordRestore(activity, { dataDir, log })) || activity.state().rollback !== undefined;
  const { seal } = rows;
  const proxyId = readProxyId(dataDir);
  revisions = await openRevisions({ db, seal, config, proxy: proxyId, listen, clock, log });
  const knownTools = await createKnownTools(db, { seal, log });
  revisions.follow('tools', knownTools.shared);
  const catalog = createCatalog({
    store: knownTools,
    config: config.current,
    events,
    record: noted,
    log,
    clock,
  });
  const items = createItems({
    tools: catalog,
    store: knownTools,
    config: config.current,
    record: noted,
    log,
    clock,
  });
  events.on(({ name }) => name === 'tools' && items.toolsChanged());
  const upstreams = createUpstreams({
    builtin: {
      tasks: async () => (await import('./tasks/server.ts')).createTasksTransport({ db, clock }),
    },
    callTimeoutMs: perConfig(config, ({ call_timeout: limit }) => durationMs(limit)),
    resolve: resolveSecrets,
    memory: createServerMemory({ file: join(dataDir, 'servers.json'), key: digestKey, log }),
    inheritEnv: () => config.current().inherit_env,
    logins: createLoginStore({ db, cipher: createLoginCipher(dataDir), clock }),
    redirectUri: () =>
      callbackUrl(config.current().public_url ?? localUrl(listen() ?? `http://${config.current().listen}`)),
    clientMetadataUrl: () => config.current().oauth.client_metadata_url,
    onUnheardAsk: createUnheardAsks({ activity }),
    share: workers?.share,
    clock,
    events,
    log,
    version,
  });
  upstreams.onTools((server, tools, info) =>
    tools ? catalog.replace(server, tools, info) : catalog.remove(server),
  );

  upstreams.onItems((...listed) => items.replace(...listed));

  const tokens = await createTokens({ db, seal, clock, log });
  revisions.follow('tokens', tokens.shared);
  const stateKey = await readStateKey(db);
  const stateSeal = createStateSeal(stateKey, clock);
  // Not by the key of states, which is in the database: nobody who can only write there speaks for a client.
  const relayKey = Buffer.from(seal.digest('messages between proxies'), 'hex');
  const relay = createRelay({ db, seal: createStateSeal(relayKey, clock), clock, log });
  const sessionKeeping = {
    seal: createStateSeal(stateKey, clock, SESSION_LIFE_MS),
    ended: createEndedMcpSessions({ db, clock, lifeMs: SESSION_LIFE_MS }),
    sharing: { relay, settings: createSessionSettings({ db, clock, lifeMs: SESSION_LIFE_MS }) },
    clock,
  };
  const approvals: Approvals = await createApprovals({
    kysely: db.kysely,
    seal,
    channel: channelOf(db),
    config: () => config.current().approvals,
    activity,
    retentionDays: () => config.current().activity.retention_days,
    events,
    mask: activity.mask,
    findMasked: maskedParts,
    instance: proxyId,
    requestFor: (draft) => conversationQuestion({ config: config.current, catalog, approvals }, draft),
    notify: createNotifier({ command: () => config.current().approvals.notify, log }),
    clock,
    log,
  });
  await withdrawOfEndedTokens({ tokens, approvals, log });
  return {
    events,
    shares,
    activity,
    noted,
    knownTools,
    catalog,
    items,
    upstreams,
    tokens,
    stateSeal,
    sessionKeeping,
    approvals,
    isRestored,
    changedRows: records.count,
    restoreAccepted: shareAcceptance({
      relay,
      activity,
      clock,
      accepted() {
        seal.markRestored();
        records.restoreAccepted();
      },
      proxyId,
      log,
    }),
    relay,
    closeRows: rows.close,
    revisions,
    proxyId,
    backgroundCalls: createBackgroundCalls({
      db,
      clock,
      owner: `${proxyId}/${process.pid}`,
      digest: (text) => seal.digest(`background call\n${text}`),
      log,
    }),
  };
}

/** Where the browser comes back to after a log-in to a server. */
function callbackUrl(place: string): string {
  const url = new URL(place);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/oauth/callback`;
  return url.href;
}

/** Computed once per configuration instead of once per call. */
function perConfig<T>({ current }: Pick<ConfigStore, 'current'>, compute: (config: Config) => T): () => T {
  let made: { from: Config; value: T } | undefined;
  return () => {
    const from = current();
    if (made?.from !== from) made = { from, value: compute(from) };
    return made.value;
  };
}

/** The approval requests of a token end with it, also of one that ended while no proxy was running. */
async function withdrawOfEndedTokens({
  tokens,
  approvals,
  log,
}: {
  tokens: Tokens;
  approvals: Approvals;
  log: Log;
}): Promise<void> {
  const withdraw = (token: EndedToken) =>
    approvals
      .cancelForToken(token)
      .catch((error: unknown) =>
        log.warn({ err: error, token: token.name }, 'approvals of a token that ended are not cancelled'),
      );
  tokens.onEnded((token) => void withdraw(token));
  for (const id of await approvals.openTokens()) {
    const ended = tokens.endOf(id);
    if (ended) await withdraw(ended);
  }
}
