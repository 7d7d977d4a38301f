import type { Caller } from '../contract/call.ts';
import { durationMs } from '../contract/config.ts';
import { ProxyError } from '../contract/errors.ts';
import { OperationType } from '../contract/operation.ts';
import { TOKEN_NEVER, type NewToken, type TokenView } from '../contract/token.ts';
import type { Database, TokensTable } from '../db/index.ts';
import { systemClock, type Clock, newId } from '../lib/clock.ts';
import { glob } from '../lib/pattern.ts';
import type { Log } from '../lib/log.ts';
import { digestOf, looksLikeSecret, newSecret } from './secret.ts';
import { createTokenBook, type Ended, type Presented } from './token-book.ts';
import { createTokenStore, MAX_TOKENS } from './token-store.ts';
import { createTokenUsage } from './token-usage.ts';

export interface TokenParts {
  db: Database;
  log: Log;
  clock?: Clock;
  /** How often the database is asked whether another proxy has changed something. */
  pollMs?: number;
}

export type Tokens = Awaited<ReturnType<typeof createTokens>>;

/** Well within the second that a revocation may take to reach every proxy. */
const POLL_MS = 500;
const FLUSH_MS = 30_000;
const CHANNEL = 'tokens';

/** The agents' tokens: made, found, ended. Everything that a request needs is in memory. */
export async function createTokens({ db, log, clock = systemClock, pollMs = POLL_MS }: TokenParts) {
  const store = createTokenStore(db);
  const book = createTokenBook(clock);
  const usage = createTokenUsage(store, clock, log);
  const listeners = new Set<(ended: Ended) => void>();
  let revision: number | undefined;
  let refreshing: Promise<void> | undefined;
  let troubled = false;

  /** The revision is read first: what is read after it is at least as new. */
  async function read(): Promise<void> {
    const now = await store.revision();
    if (now === revision) return;
    const ended = book.load(await store.all());
    const isFirst = revision === undefined;
    revision = now;
    if (!isFirst) tell(ended);
  }

  function refresh(): Promise<void> {
    refreshing ??= read().finally(() => (refreshing = undefined));
    return refreshing;
  }

  async function poll(): Promise<void> {
    tell(book.newlyEnded());
    try {
      await refresh();
      troubled = false;
    } catch (error) {
      if (!troubled) log.warn({ err: error }, 'changes of tokens cannot be read; the last known ones hold');
      troubled = true;
    }
  }

  function tell(ended: Ended[]): void {
    for (const each of ended) {
      log.info({ token: each.name, why: each.why }, 'a token has ended');
      for (const listener of listeners) listener(each);
    }
  }

  /** After a change of our own; a look that was under way may have been too early. Other proxies hear of it at once where they can. */
  async function changed(): Promise<void> {
    await refreshing?.catch(() => undefined);
    await refresh();
    if (db.engine === 'postgres')
      await db.notify(CHANNEL, '').catch((error: unknown) => log.debug({ err: error }, 'nobody was told'));
  }

  await read();
  const stopListening = db.engine === 'postgres' ? db.onNotify(CHANNEL, () => void poll()) : undefined;
  const timers = [
    setInterval(() => void poll(), pollMs).unref(),
    setInterval(() => void usage.flush(), FLUSH_MS).unref(),
  ];

  return {
    /** Whose token is it, and is it good? A good one counts as used. */
    find(secret: string): Presented {
      const presented = book.find(secret);
      if (presented.state === 'active') usage.used(presented.identity.token!.id);
      return presented;
    },

    async create(wanted: NewToken, by: string): Promise<TokenView & { token: string; replaced?: string }> {
      checkFits(wanted);
      const token = newSecret();
      const row = rowOf(wanted, { by, now: clock.now(), digest: digestOf(token) });
      const outcome = await (wanted.replace ? store.replace(row) : store.insert(row));
      if (outcome === 'name' || outcome === 'full') throw notMade(outcome, wanted.name);
      await changed();
      const replaced = outcome === 'done' ? undefined : outcome.replaced;
      return { ...book.view(row), token, ...(replaced !== undefined && { replaced }) };
    },

    async revoke(nameOrId: string, by: string): Promise<TokenView> {
      await refresh();
      const found = book.named(nameOrId);
      if (!found) throw noToken(nameOrId, book.names());
      await store.revoke(found.id, by, new Date(clock.now()).toISOString());
      await changed();
      return book.view(book.named(found.id) ?? found);
    },

    /** Newest first. */
    async list(): Promise<TokenView[]> {
      const rows = await store.all();
      return rows.reverse().map((row) => {
        const view = book.view(row);
        return { ...view, last_used_at: usage.lastUsed(row.id) ?? view.last_used_at };
      });
    },

    counts: () => book.counts(),
    /** A tool is called over MCP. Whoever does so with the operator's key could also approve it. */
    noteCall({ principal }: Caller): void {
      if (principal === 'operator') usage.operatorCalled();
    },
    operatorCall: () => usage.operatorCall(),
    /** Calls the listener for each token that is revoked, here or elsewhere, or that expires. */
    onEnded(listener: (ended: Ended) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Looks whether something has changed or ended; also done about twice a second. */
    poll,
    async close(): Promise<void> {
      for (const timer of timers) clearInterval(timer);
      stopListening?.();
      await refreshing?.catch(() => undefined);
      await usage.flush();
    },
  };
}

function rowOf(
  { name, operations, servers, tools, assistant, metrics, expires, user }: NewToken,
  { by, now, digest }: { by: string; now: number; digest: string },
): TokensTable {
  const scope = {
    operations: OperationType.options.filter((each) => (metrics ? ['read'] : operations).includes(each)),
    ...(servers && { servers: unique(servers) }),
    ...(tools && { tools: unique(tools) }),
    ...(assistant && { assistant }),
    ...(metrics && { metrics }),
  };
  return {
    id: newId(),
    name,
    digest,
    scope: JSON.stringify(scope),
    user_id: user,
    created_at: new Date(now).toISOString(),
    created_by: by,
    expires_at: expires === TOKEN_NEVER ? null : new Date(now + durationMs(expires)).toISOString(),
    revoked_at: null,
    revoked_by: null,
    last_used_at: null,
  };
}

/** What could never be used together: then something else was meant. */
function checkFits({ servers, tools, assistant, metrics }: NewToken): void {
  if (metrics && (servers ?? tools ?? assistant))
    throw new ProxyError(
      'INVALID_REQUEST',
      'A token for metrics opens /metrics and nothing else: leave servers, tools and assistant out, or make two tokens',
      { in: 'body', parameter: 'metrics' },
    );
  for (const tool of servers ? (tools ?? []) : []) {
    const server = tool.slice(0, tool.indexOf(':'));
    if (server.includes('*') || servers!.some((pattern) => glob(pattern)(server))) continue;
    throw new ProxyError(
      'INVALID_REQUEST',
      `tools names '${tool}', but servers does not list '${server}', and both must hold: add the server, or leave servers out`,
      { in: 'body', parameter: 'tools' },
    );
  }
}

function unique(list: string[]): string[] {
  return [...new Set(list)];
}

function notMade(why: 'name' | 'full', name: string): ProxyError {
  return why === 'name'
    ? new ProxyError(
        'CONFLICT',
        `There is a token '${name}' already. Replace it (--replace, or "replace": true over REST), revoke it, or choose another name`,
        { name },
      )
    : new ProxyError('CONFLICT', `There are ${MAX_TOKENS} tokens already; revoke some that are not used`, {
        limit: MAX_TOKENS,
      });
}

function noToken(given: string, names: string[]): ProxyError {
  if (looksLikeSecret(given))
    return new ProxyError(
      'INVALID_REQUEST',
      'That is a token itself, which should be in no command line or URL: give its name or id',
      { parameter: 'id' },
    );
  const shown = given.slice(0, 100);
  const hint = names.length > 0 ? `There are: ${names.slice(0, 20).join(', ')}` : 'There are none';
  return new ProxyError('NOT_FOUND', `There is no token '${shown}'. ${hint}`, { token: shown });
}
