import type { Caller } from '../contract/call.ts';
import type { NewToken, TokenView } from '../contract/token.ts';
import type { Database, RowSeal } from '../db/index.ts';
import { systemClock, type Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { checkRestrictions, newTokenRow, notCreated, tokenNotFound } from './new-token.ts';
import { digestOf, newSecret } from './secret.ts';
import { createTokenIndex, type EndedToken, type TokenLookup } from './token-index.ts';
import { createTokenStore, type TokenStore } from './token-store.ts';

export interface TokenParts {
  db: Database;
  seal: RowSeal;
  log: Log;
  clock?: Clock;
  /** How often the database is checked for changes by other proxies. */
  pollMs?: number;
}

export type Tokens = Awaited<ReturnType<typeof createTokens>>;

/** Well within the second that a revocation may take to reach every proxy. */
const POLL_MS = 500;
const FLUSH_MS = 30_000;
const CHANNEL = 'tokens';

/** Creates, finds and ends agent tokens. A request needs only data in memory. */
export async function createTokens({ db, seal, log, clock = systemClock, pollMs = POLL_MS }: TokenParts) {
  const store = createTokenStore(db, seal);
  const index = createTokenIndex(clock, (row) => seal.trouble('tokens', row));
  const usage = createTokenUsage(store, clock, log);
  const listeners = new Set<(ended: EndedToken) => void>();
  let revision: number | undefined;
  let refreshing: Promise<void> | undefined;
  let isStale = false;

  /** Reads the revision first: the tokens read after it are at least as new. */
  async function read(): Promise<void> {
    const now = await store.revision();
    if (now === revision) return;
    const ended = index.load(await store.all());
    const isFirst = revision === undefined;
    revision = now;
    if (!isFirst) announce(ended);
  }

  function refresh(): Promise<void> {
    refreshing ??= read().finally(() => (refreshing = undefined));
    return refreshing;
  }

  async function poll(): Promise<void> {
    announce(index.newlyEnded());
    try {
      await refresh();
      isStale = false;
    } catch (error) {
      if (!isStale)
        log.warn({ err: error }, 'changes of tokens cannot be read; the last known tokens stay valid');
      isStale = true;
    }
  }

  function announce(ended: EndedToken[]): void {
    for (const each of ended) {
      log.info({ token: each.name, why: each.why }, 'a token has ended');
      for (const listener of listeners) listener(each);
    }
  }

  /** After a change by this proxy: a refresh that was already running may have missed it. Notifies other proxies where the database can. */
  async function changed(): Promise<void> {
    // The error of the older refresh is reported there.
    await refreshing?.catch(() => undefined);
    await refresh();
    if (db.engine === 'postgres')
      await db
        .notify(CHANNEL, '')
        .catch((error: unknown) =>
          log.debug({ err: error }, 'other proxies could not be notified of a change of tokens'),
        );
  }

  await read();
  const stopListening = db.engine === 'postgres' ? db.onNotify(CHANNEL, () => void poll()) : undefined;
  const timers = [
    setInterval(() => void poll(), pollMs).unref(),
    setInterval(() => void usage.flush(), FLUSH_MS).unref(),
  ];

  return {
    /** Looks up a presented token. A valid token counts as used. */
    find(secret: string): TokenLookup {
      const presented = index.find(secret);
      if (presented.state === 'active') usage.recordUse(presented.identity.token!.id);
      return presented;
    },

    async create(wanted: NewToken, by: string): Promise<TokenView & { token: string; replaced?: string }> {
      checkRestrictions(wanted);
      const token = newSecret();
      const row = newTokenRow(wanted, { by, now: clock.now(), digest: digestOf(token) });
      const outcome = await (wanted.replace ? store.replace(row) : store.insert(row));
      if (outcome === 'name' || outcome === 'full') throw notCreated(outcome, wanted.name);
      await changed();
      const replaced = outcome === 'done' ? undefined : outcome.replaced;
      return {
        ...index.view(index.findByName(row.id) ?? row),
        token,
        ...(replaced !== undefined && { replaced }),
      };
    },

    async revoke(nameOrId: string, by: string): Promise<TokenView> {
      await refresh();
      const found = index.findByName(nameOrId);
      if (!found) throw tokenNotFound(nameOrId, index.names());
      await store.revoke(found.id, by, new Date(clock.now()).toISOString());
      await changed();
      return index.view(index.findByName(found.id) ?? found);
    },

    /** Newest first. */
    async list(): Promise<TokenView[]> {
      const rows = await store.all();
      return rows.reverse().map((row) => {
        const view = index.view(row);
        return { ...view, last_used_at: usage.lastUsed(row.id) ?? view.last_used_at };
      });
    },

    counts: () => index.counts(),
    /** Records a tool call over MCP. A caller with the operator's key could also approve its own calls. */
    recordCall({ principal }: Caller): void {
      if (principal === 'operator') usage.recordOperatorCall();
    },
    lastOperatorCall: () => usage.lastOperatorCall(),
    /** Calls the listener for each token that expires or is revoked, here or by another proxy. */
    onEnded(listener: (ended: EndedToken) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** What the token of this name may do now; that does not count as a use. */
    lookUp: (name: string) => index.lookUp(name),
    /** How a token has ended, also before this start; undefined while it is active. */
    endOf: (id: string) => index.endOf(id),
    /** Checks for changed and ended tokens; also done twice a second. */
    poll,
    /** What other proxies have changed. A refresh that was already running may have missed it. */
    shared: {
      applied: () => revision,
      async catchUp() {
        await refreshing?.catch(() => undefined);
        await refresh();
      },
    },
    async close(): Promise<void> {
      for (const timer of timers) clearInterval(timer);
      stopListening?.();
      // The refresh reports its error; the stop only waits for its end.
      await refreshing?.catch(() => undefined);
      await usage.flush();
    },
  };
}

interface TokenUsage {
  recordUse(id: string): void;
  recordOperatorCall(): void;
  /** The last use that is not in the database yet. */
  lastUsed(id: string): string | undefined;
  lastOperatorCall(): Promise<number | null>;
  flush(): Promise<void>;
}

/** Keeps the times of use in memory, and writes them to the database from time to time. */
function createTokenUsage(store: TokenStore, clock: Clock, log: Log): TokenUsage {
  const used = new Map<string, number>();
  let operatorCall: number | undefined;
  let written: number | undefined;

  async function write(): Promise<void> {
    if (operatorCall !== undefined && operatorCall !== written) {
      const at = operatorCall;
      await store.saveOperatorCall(at);
      written = at;
    }
    if (used.size === 0) return;
    const taken = new Map(used);
    await store.saveLastUsed(new Map([...taken].map(([id, at]) => [id, new Date(at).toISOString()])));
    for (const [id, at] of taken) if (used.get(id) === at) used.delete(id);
  }

  return {
    recordUse: (id) => void used.set(id, clock.now()),
    recordOperatorCall: () => void (operatorCall = clock.now()),
    lastUsed(id) {
      const at = used.get(id);
      return at === undefined ? undefined : new Date(at).toISOString();
    },
    lastOperatorCall: async () => operatorCall ?? store.lastOperatorCall(),
    // A failed write is repeated next time; nothing depends on it.
    flush: () =>
      write().catch((error: unknown) => log.debug({ err: error }, 'the use of tokens could not be stored')),
  };
}
