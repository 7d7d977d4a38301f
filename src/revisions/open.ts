import type { ConfigStore } from '../config/index.ts';
import { ProxyError, toProxyError } from '../contract/errors.ts';
import type { ConfigRevision, SharedConfigState } from '../contract/status.ts';
import type { Database, Heads, PostgresDatabase, RowSeal } from '../db/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { followRevisions, followRules, type PolicyGuard } from './follow.ts';
import { publishReplica } from './replicas.ts';
import { createRules, type Rules } from './rules.ts';
import { createRevisionStore, type RevisionStore, type StoredRevision } from './store.ts';

interface Parts {
  db: Database;
  seal: RowSeal;
  config: ConfigStore;
  proxy: string;
  listen: () => string | null;
  clock: Clock;
  log: Log;
}

/** What the proxies on one database share of their configuration. */
export interface Revisions {
  /** Absent with SQLite, which has one proxy. */
  guard?: PolicyGuard;
  /** What is newest, as a transaction has named it. */
  named(heads: Heads, began: number): void;
  /** Rows in the memory of this proxy that calls are judged by. */
  follow: Rules['follow'];
  /** Undefined with SQLite, which has one proxy. */
  state(): SharedConfigState | undefined;
  /** Called when this proxy listens: the others learn where. */
  announce(): void;
  /** Newest first. */
  list(limit: number): Promise<ConfigRevision[]>;
  /** The text may contain secrets. */
  read(revision: number): Promise<StoredRevision>;
  close(): Promise<void>;
}

export async function openRevisions(parts: Parts): Promise<Revisions> {
  const { db, config, log } = parts;
  const wanted = config.current().config_source;
  if (db.engine === 'sqlite') {
    if (wanted === 'database') throw needsPostgres();
    return {
      named: () => {},
      follow: () => {},
      state: () => undefined,
      announce: () => {},
      ...NO_REVISIONS,
      close: async () => {},
    };
  }
  if (wanted === 'file') return openWithFile({ ...parts, db });
  const store = createRevisionStore(db, parts);
  const newest = await newestOrImported(store, parts);
  const rules = createRules(db);
  const following = followRevisions({ db, store, config, newest, rules, log });
  config.share(following.keeper, newest);
  const replica = await publishReplica({ ...parts, db });
  return {
    guard: following.guard,
    named: (heads, began) => following.named(heads, began),
    follow: rules.follow,
    state: () => {
      const { at, by } = following.about() ?? {};
      const problem = following.problem();
      return {
        source: 'database',
        revision: config.revision()!,
        ...(at !== undefined && { at, by }),
        ...(problem !== undefined && { problem }),
        ineffective: config.ineffective(),
        replicas: replica.others(),
      };
    },
    announce: () => replica.announce(),
    list: (limit) => store.list(limit),
    read: (revision) => store.read(revision),
    async close() {
      following.close();
      await replica.close();
    },
  };
}

const NO_REVISIONS = {
  list: async (): Promise<never> => {
    throw noRevisions();
  },
  read: async (): Promise<never> => {
    throw noRevisions();
  },
};

async function openWithFile(parts: Parts & { db: PostgresDatabase }): Promise<Revisions> {
  const replica = await publishReplica(parts);
  const rules = createRules(parts.db);
  return {
    ...followRules(rules),
    follow: rules.follow,
    state: () => ({ source: 'file', ineffective: [], replicas: replica.others() }),
    announce: () => replica.announce(),
    ...NO_REVISIONS,
    close: () => replica.close(),
  };
}

/** The revision in force. The first proxy on a database makes it from its file. Undefined where the stored one does not count. */
async function newestOrImported(
  store: RevisionStore,
  { config, log }: Parts,
): Promise<StoredRevision | undefined> {
  try {
    const revision = await store.head();
    if (revision !== undefined) return await store.read(revision);
    const text = config.sharedText();
    const made = await store
      .commit({ text, base: 0, changes: [], action: 'import' })
      .catch((error: unknown) => {
        if (toProxyError(error).code !== 'CONFLICT') throw error;
        return undefined;
      });
    // Another proxy was faster.
    if (!made) return await newestOrImported(store, { config, log } as Parts);
    log.info(
      { file: config.file, revision: made.revision },
      'servers and policy of the file are now in the database, for all proxies on it; change them with "mcpproxy config apply", the web UI or REST',
    );
    return made;
  } catch (error) {
    const { code, message } = toProxyError(error);
    if (code !== 'ROW_CHANGED') throw error;
    log.error(message);
    return undefined;
  }
}

function needsPostgres(): ProxyError {
  return new ProxyError(
    'CONFIG_INVALID',
    'config_source "database" needs PostgreSQL: set database_url, or leave config_source out',
  );
}

function noRevisions(): ProxyError {
  return new ProxyError(
    'NOT_FOUND',
    'There are no revisions: the configuration is in the file. Its changes are in the log: mcpproxy activity list --type config',
  );
}
