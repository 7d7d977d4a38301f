import type { ConfigAuthor, ConfigStore, RevisionKeeper } from '../config/index.ts';
import { ProxyError, toProxyError } from '../contract/errors.ts';
import type { ConfigRevision } from '../contract/status.ts';
import type { Heads, PostgresDatabase } from '../db/index.ts';
import { newId } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Rules } from './rules.ts';
import { CONFIG_CHANNEL, type RevisionStore, type StoredRevision } from './store.ts';

/** A read passes if this proxy has had the newest revision so shortly ago. */
const MAX_LAG_MS = 1_000;
/** Twice as often, so that reads seldom wait for it. Notifications come faster, but may be lost. */
const LOOK_EVERY_MS = 500;

/** Makes sure that a call is judged by the newest policy. Each method returns undefined where that is known already. */
export interface PolicyGuard {
  /** Rejects with POLICY_BEHIND. */
  beforeRead(): Promise<void> | undefined;
  /** Called when the record of a change is on disk: its transaction has named the newest revision. */
  beforeChange(): Promise<void> | undefined;
  /** Asks the database, whatever is known. */
  confirm(): Promise<void>;
  /** Of the configuration in force, as records name it; undefined where each proxy has its own. */
  version(): string | undefined;
}

interface Parts {
  db: Pick<PostgresDatabase, 'onNotify'>;
  store: RevisionStore;
  config: Pick<ConfigStore, 'adopt' | 'revision'>;
  newest: StoredRevision | undefined;
  rules: Rules;
  log: Log;
}

/** For proxies that have a file each: what they share beside it. */
export function followRules(rules: Rules) {
  let freshAt = -Infinity;
  let named: Heads | undefined;
  async function confirm(): Promise<void> {
    const began = performance.now();
    try {
      await rules.catchUp();
      freshAt = began;
    } catch (error) {
      throw behind(error);
    }
  }
  const guard: PolicyGuard = {
    beforeRead: () => (performance.now() - freshAt < MAX_LAG_MS ? undefined : confirm()),
    beforeChange: () => (named && rules.isCurrent(named) ? undefined : confirm()),
    confirm,
    version: () => undefined,
  };
  return {
    guard,
    named(heads: Heads, began: number): void {
      named = heads;
      if (rules.isCurrent(heads)) freshAt = Math.max(freshAt, began);
    },
  };
}

/** Keeps this proxy at the newest revision, and knows when it is not. */
export function followRevisions({ db, store, config, newest, rules, log }: Parts) {
  let freshAt = -Infinity;
  let problem: string | undefined;
  /** As the last transaction of the log has named them. */
  let named: Heads | undefined;
  let about: ConfigRevision | undefined = newest?.about;
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;

  async function look(): Promise<void> {
    const began = performance.now();
    try {
      const revision = await store.head();
      if (revision === undefined) throw new Error('it names no revision');
      if (revision > config.revision()!) await adopt(await store.read(revision));
      await rules.catchUp();
      freshAt = began;
      if (problem !== undefined) log.info('the newest configuration is in force again');
      problem = undefined;
    } catch (error) {
      const { message } = toProxyError(error);
      if (problem === undefined) log.warn({ reason: message }, 'the newest configuration cannot be used');
      problem = message;
      throw error;
    }
  }

  async function adopt(stored: StoredRevision): Promise<void> {
    about = stored.about;
    const by: ConfigAuthor = { principal: stored.about.by, source: 'system', requestId: newId() };
    await config.adopt(stored, { from: 'revision', by });
  }

  /** One look that begins after this moment, shared by everybody who waits for it. */
  function confirm(): Promise<void> {
    next ??= running
      .catch(() => {})
      .then(() => {
        next = undefined;
        return (running = look());
      });
    return next;
  }

  const inBackground = () => void confirm().catch(() => {});
  const isCurrent = (heads: Heads | undefined) =>
    heads !== undefined &&
    heads.revision === config.revision() &&
    rules.isCurrent(heads) &&
    problem === undefined;

  // Also while calls name the newest one: a row that somebody has put back is found by its version alone.
  const timer = setInterval(inBackground, LOOK_EVERY_MS).unref();
  const stop = db.onNotify(CONFIG_CHANNEL, inBackground);

  const keeper: RevisionKeeper = {
    catchUp: confirm,
    async commit(draft) {
      const stored = await store.commit(draft);
      about = stored.about;
      problem = undefined;
      return stored;
    },
  };
  const guard: PolicyGuard = {
    beforeRead() {
      if (performance.now() - freshAt < MAX_LAG_MS) return undefined;
      return confirm().catch((error: unknown) => {
        // The newest known one stays in force for reads.
        if (toProxyError(error).code !== 'ROW_CHANGED') throw behind(error);
      });
    },
    beforeChange() {
      if (isCurrent(named)) return undefined;
      return guard.confirm();
    },
    confirm: () =>
      confirm().catch((error: unknown) => {
        throw behind(error);
      }),
    version: () => String(config.revision()),
  };
  return {
    guard,
    keeper,
    /** What is newest, as a transaction has named it that began at this time. */
    named(heads: Heads, began: number): void {
      named = heads;
      if (isCurrent(heads)) freshAt = Math.max(freshAt, began);
    },
    problem: () => problem,
    about: () => (about?.revision === config.revision() ? about : undefined),
    close() {
      clearInterval(timer);
      stop();
    },
  };
}

function behind(cause: unknown): ProxyError {
  return new ProxyError(
    'POLICY_BEHIND',
    `This proxy may not have the newest configuration, so the call was not made: ${toProxyError(cause).message}`,
    { executed: false },
  ).withCause(cause);
}
