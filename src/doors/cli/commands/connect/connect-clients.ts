import { EXIT, toProxyError } from '../../../../contract/errors.ts';
import type { MadeToken } from '../../../../contract/token.ts';
import { Interrupted, print, type Context, type Reached } from '../../context.ts';
import type { ClientConnection, ConnectionProof, ConnectPlan, ConnectScope } from '../../client-runtime.ts';
import type { ConnectedRow, ConnectFlags } from './connected-row.ts';
import { connectedText } from './connect-text.ts';
import { runningEndpoint } from './endpoint.ts';
import { takeServers } from './take-servers.ts';

/** The tools that the proxy offers. */
export const TOOLS = [
  'retrieve_tools',
  'describe_tool',
  'call_tool_read',
  'call_tool_write',
  'call_tool_destructive',
];

export interface ToConnect {
  clients: readonly string[];
  scope: ConnectScope;
  flags: ConnectFlags;
  /** True: the servers of the client stay in its files, and nobody is asked. */
  keep?: boolean;
}

/** Connects each client in turn. One that fails does not affect the others. */
export async function connectClients(context: Context, reached: Reached, wanted: ToConnect): Promise<number> {
  const rows = await connectRows(context, reached, wanted);
  await print(context, { clients: rows }, () => connectedText(context, rows));
  return rows.some(({ state }) => state === 'failed') ? EXIT.general : EXIT.ok;
}

export async function connectRows(
  context: Context,
  reached: Reached,
  wanted: ToConnect,
): Promise<ConnectedRow[]> {
  const url = await runningEndpoint(context, reached);
  const rows: ConnectedRow[] = [];
  for (const client of wanted.clients)
    rows.push(await connectOne(context, reached, { ...wanted, client, url }));
  return rows;
}

interface One extends ToConnect {
  client: string;
  url: string;
}

async function connectOne(context: Context, reached: Reached, one: One): Promise<ConnectedRow> {
  const { client, scope, url, flags } = one;
  const { runtime, place } = context;
  let row: ConnectedRow = { client, title: client, state: 'failed', scope, verified: null };
  try {
    // Before the token: a file that cannot be changed must not end the token that works.
    const plan = await runtime.clients.plan(place, { client, scope, url });
    row = { ...row, client: plan.client, title: plan.title, verified: plan.verified };
    const taken = one.keep
      ? undefined
      : await takeServers(context, reached, { client: plan.client, scope, take: flags.takeServers === true });
    const made = await makeToken(reached, plan, flags);
    const secret = { id: made.id, name: made.name, secret: made.token };
    const wanted = { client, scope, url, ...(taken && { taken: taken.files }) };
    const connection = await runtime.clients.apply(place, wanted, secret).catch(async (error: unknown) => {
      await reached.request('revokeToken', { id: made.id }).catch(() => undefined);
      throw error;
    });
    row = { ...row, ...detailsOf({ plan, made, connection, url }), ...(taken && { taken: taken.result }) };
    const proof = await runtime.clients.prove(url, made.token, reached.signal);
    const problem = proofProblem(connection, proof);
    return { ...row, proof, ...(problem === undefined ? { state: 'connected' } : { reason: problem }) };
  } catch (error) {
    if (error instanceof Interrupted || reached.signal.aborted) throw error;
    return { ...row, reason: toProxyError(error).message };
  }
}

/** One token per client, for all three operations: the client asks before it changes something. */
function makeToken({ request }: Reached, plan: ConnectPlan, { expires }: ConnectFlags): Promise<MadeToken> {
  const body = {
    name: plan.token_name,
    replace: true,
    mode: 'search' as const,
    ...(expires !== undefined && { expires }),
  };
  return request('createToken', { body });
}

interface Details {
  plan: ConnectPlan;
  made: MadeToken;
  connection: ClientConnection;
  url: string;
}

function detailsOf({ plan, made, connection, url }: Details): Partial<ConnectedRow> {
  return {
    url,
    token: { name: made.name, expires_at: made.expires_at },
    ...(plan.variable && {
      set: {
        variable: plan.variable.name,
        ...(plan.variable.how && { how: plan.variable.how }),
        token: made.token,
      },
    }),
    files: connection.files.map(({ file, copy }) => {
      const planned = plan.files.find((each) => each.file === file);
      return { file, change: planned?.change ?? 'change', copy, has_token: planned?.has_token ?? false };
    }),
    rules:
      plan.rules === null ? null : { read: 'allow', write: 'ask', destructive: 'ask', where: plan.rules },
    notes: plan.notes,
  };
}

/** The tools that a client sees, and our parts read back from its files. */
function proofProblem({ problems }: ClientConnection, { tools }: ConnectionProof): string | undefined {
  const missing = TOOLS.filter((tool) => !tools.includes(tool));
  if (missing.length > 0) return `the proxy does not list ${missing.join(', ')} for this token`;
  return problems.length > 0 ? problems.join('; ') : undefined;
}
