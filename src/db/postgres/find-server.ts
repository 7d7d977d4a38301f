import type pg from 'pg';
import { ProxyError } from '../../contract/errors.ts';
import { connectionSettings, library } from './connection.ts';
import { errorCode, errorReason } from './errors.ts';
import type { Route, Way } from './route.ts';

const ANSWER_MS = 4_000;
const LOOKS = 3;

/** Goes to the first host that takes writes, of several. Rejects where there is none. */
export async function findServer(route: Route): Promise<void> {
  for (const way of ['pooled', 'direct'] as const) if (route[way].length > 1) await findHost(route, way);
}

async function findHost(route: Route, way: Way): Promise<void> {
  const problems: string[] = [];
  const { length } = route[way];
  const first = route.at[way];
  for (let i = 0; i < length; i++) {
    route.at[way] = (first + i) % length;
    try {
      if ((await takesWrites(route, way)) || !route.mustWrite) return;
      problems.push('it takes no writes');
    } catch (error) {
      problems.push(errorReason(error));
    }
  }
  throw new Error(`none of ${length} servers takes writes: ${problems.join('; ')}`);
}

const takesWrites = (route: Route, way: Way) =>
  withClient(route, way, async (client) => {
    const { rows } = await client.query<{ no: boolean }>(
      `SELECT pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' AS no`,
    );
    return !rows[0]!.no;
  });

async function withClient<T>(route: Route, way: Way, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const { Client } = library();
  const client = new Client(connectionSettings(route, way, { answerMs: ANSWER_MS, statementMs: ANSWER_MS }));
  client.on('error', () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    // A connection that cannot be closed any more is gone already.
    void client.end().catch(() => {});
  }
}

/** Finds out whether a pooler takes no settings at the start of a connection. */
export async function findPooler(route: Route): Promise<void> {
  for (const way of ['pooled', 'direct'] as const)
    await withClient(route, way, async () => {}).catch((error: unknown) => {
      if (!isPoolerRefusal(error)) throw error;
      route.isPooled = true;
    });
}

/** Finds out what a pooler keeps of a connection. */
export async function findPoolMode(route: Route): Promise<void> {
  const isBehind = await withClient(
    route,
    'pooled',
    async (client) => (await backendOf(client)) !== (client as unknown as { processID: number }).processID,
  );
  if (!isBehind) return;
  route.isPooled = true;
  route.isPerTransaction = await isPerTransaction(route, 'pooled');
  if (!route.isPerTransaction) return;
  if (!route.hasDirect || (await isPerTransaction(route, 'direct'))) throw needsDirect();
  await withClient(route, 'pooled', requireDurable);
}

/** PgBouncer, with its defaults. */
const isPoolerRefusal = (error: unknown) =>
  errorCode(error) === '08P01' && /unsupported startup parameter/i.test(errorReason(error));

async function backendOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]!.pid;
}

/** Whether two connections are served by one process of the server, in turn; a session has its own. */
const isPerTransaction = (route: Route, way: Way) =>
  withClient(route, way, (one) =>
    withClient(route, way, async (other) => {
      for (let look = 0; look < LOOKS; look++) {
        const before = await backendOf(one);
        await other.query('BEGIN');
        const taken = await backendOf(other);
        const after = await backendOf(one);
        await other.query('COMMIT');
        if (before === taken || before !== after) return true;
      }
      return false;
    }),
  );

/** Settings of a connection do not last, so the server's own must do. */
async function requireDurable(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ commit: string }>(
    `SELECT current_setting('synchronous_commit') AS commit`,
  );
  if (rows[0]!.commit !== 'off') return;
  throw new ProxyError(
    'CONFIG_INVALID',
    'The server does not wait for its disk (synchronous_commit is off), and behind a pooler in transaction mode the proxy cannot change that for its own connections. Run: ALTER ROLE the_user_of_mcpproxy SET synchronous_commit = on',
  );
}

function needsDirect(): ProxyError {
  return new ProxyError(
    'CONFIG_INVALID',
    'database_url leads to a connection pooler in transaction mode. The proxy listens for messages and holds the lock of its log, which need a session: add the address of the server itself, as in database_url?direct=HOST:PORT, or set pool_mode = session',
  );
}
