import { createActivity, type Activity, type ActivityParts } from './log/log.ts';
import type { RecordDraft } from './log/record/recorder.ts';
import { maskedParts } from './log/mask/masked-parts.ts';
import { toJson } from './log/record/to-json.ts';
import { createApprovals, type Approvals } from './approval/approvals.ts';
import { channelOf } from './approval/channel.ts';
import { createNotifier } from './approval/notify.ts';
import { readProxyId } from './approval/store/proxy-id.ts';
import { conversationQuestion } from './road/question.ts';
import { createCatalog } from './catalog/catalog.ts';
import { createKnownTools } from './catalog/known/known-tools.ts';
import { resolveSecrets } from './config/secrets.ts';
import type { ConfigStore } from './config/store.ts';
import { durationMs } from './contract/config.ts';
import { readStateKey } from './db/state-key.ts';
import type { Database } from './db/database.ts';
import type { Clock } from './lib/clock.ts';
import { createEventBus } from './lib/event-bus.ts';
import type { Log } from './lib/log.ts';
import { createStateSeal } from './lib/state-seal.ts';
import { createTokens } from './token/tokens.ts';
import { createUpstreams } from './upstream/upstreams.ts';

export interface PartsOptions {
  config: ConfigStore;
  dataDir: string;
  version: string;
  log: Log;
  clock: Clock;
}

/** Loaded only where it is used: most proxies have a file of their own. */
async function openActivity(db: Database, parts: Omit<ActivityParts, 'db'>): Promise<Activity> {
  if (db.engine === 'sqlite') return createActivity({ db, ...parts });
  const { createPostgresActivity } = await import('./log/postgres/log.ts');
  return createPostgresActivity({ db, ...parts });
}

/** The parts that keep something: the log, tools, servers, tokens, approvals. None knows the others; who tells whom what is said here. */
export async function openParts(db: Database, { config, dataDir, version, log, clock }: PartsOptions) {
  const events = createEventBus();
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
  const stateSeal = createStateSeal(await readStateKey(db), clock);
  const approvals: Approvals = await createApprovals({
    kysely: db.kysely,
    channel: channelOf(db),
    config: () => config.current().approvals,
    activity,
    retentionDays: () => config.current().activity.retention_days,
    events,
    mask: toJson,
    findMasked: maskedParts,
    instance: readProxyId(dataDir),
    questionFor: (draft) => conversationQuestion({ config: config.current(), catalog, approvals }, draft),
    notify: createNotifier({ command: () => config.current().approvals.notify, log }),
    clock,
    log,
  });
  return { events, activity, noted, knownTools, catalog, upstreams, tokens, stateSeal, approvals };
}
