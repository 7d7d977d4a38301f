import { EXIT, toProxyError } from '../../../../contract/errors.ts';
import type { MadeToken } from '../../../../contract/token.ts';
import { Interrupted, print, withPlace, withProxy, type Context, type Reached } from '../../context.ts';
import type {
  ClientConnection,
  ConnectionProof,
  ConnectPlan,
  ConnectScope,
  KnownClient,
  WantedConnection,
} from '../../client-runtime.ts';
import type { ConnectedRow, ConnectFlags } from './connected-row.ts';
import { connectedText } from './connect-text.ts';
import { runningEndpoint } from './endpoint.ts';
import { planTaking, takeServers, type PlannedTaking, type TakeMode } from './take-servers.ts';

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
  /** What becomes of the servers in the client's files; undefined: they stay, and nobody is asked. */
  take?: TakeMode;
  /** Called as soon as the files of a client are written, so that an interruption can say what was done. */
  onWritten?: (row: ConnectedRow) => void | Promise<void>;
}

/** Connects each client in turn. One that fails does not affect the others. */
export async function connectClients(context: Context, wanted: ToConnect): Promise<number> {
  const written: ConnectedRow[] = [];
  const onWritten = (row: ConnectedRow) => void written.push(row);
  try {
    const rows = await withProxy(context, 'daemon', (reached) =>
      connectRows(context, reached, { ...wanted, onWritten }),
    );
    await print(context, { clients: rows }, () => connectedText(context, rows));
    return rows.some(({ state }) => state === 'failed') ? EXIT.general : EXIT.ok;
  } catch (error) {
    if (error instanceof Interrupted) reportWritten(context, written);
    throw error;
  }
}

function reportWritten(context: Context, written: readonly ConnectedRow[]): void {
  const names = written.map(({ client }) => client).join(' ');
  const said =
    written.length === 0
      ? 'Interrupted. Nothing was connected.'
      : `Interrupted. Connected already: ${written.map(({ title }) => title).join(', ')}. To take it back: mcpproxy disconnect ${names}`;
  context.io.err(`\n${withPlace(context.place, said)}\n`);
}

/** Asks all questions first, so that nothing is written before the last answer. */
export async function connectRows(
  context: Context,
  reached: Reached,
  wanted: ToConnect,
): Promise<ConnectedRow[]> {
  const url = await runningEndpoint(context, reached);
  const known = await context.runtime.clients.find(context.place);
  const prepared: Prepared[] = [];
  for (const client of wanted.clients)
    prepared.push(
      await prepare(context, reached, {
        ...wanted,
        client,
        url,
        known: known.find(({ id }) => id === client),
      }),
    );
  const rows: ConnectedRow[] = [];
  reached.signal.throwIfAborted();
  for (const each of prepared)
    rows.push(
      'row' in each
        ? each.row
        : await connectOne(context, reached, { ...each, flags: wanted.flags, onWritten: wanted.onWritten }),
    );
  return rows;
}

interface Ready {
  plan: ConnectPlan;
  wanted: WantedConnection;
  taking: PlannedTaking | undefined;
}

type Prepared = Ready | { row: ConnectedRow };

interface One extends ToConnect {
  client: string;
  url: string;
  known: KnownClient | undefined;
}

/** Before the token: a file that cannot be changed must not end the token that works. */
async function prepare(context: Context, reached: Reached, one: One): Promise<Prepared> {
  const { client, scope, url, take, known } = one;
  const wanted = { client, scope, url };
  try {
    const plan = await context.runtime.clients.plan(context.place, wanted);
    const taking = take && (await planTaking(context, reached, { client: plan.client, scope, mode: take }));
    return { plan, wanted, taking };
  } catch (error) {
    const failure = toProxyError(error);
    // An unknown client, or one without files of a project: nothing is changed for the others either.
    if (error instanceof Interrupted || reached.signal.aborted || failure.code === 'USAGE') throw error;
    const { title = client, verified = null } = known ?? {};
    return { row: { client, title, state: 'failed', scope, verified, reason: failure.message } };
  }
}

async function connectOne(
  context: Context,
  reached: Reached,
  { plan, wanted, taking, flags, onWritten }: Ready & Pick<ToConnect, 'flags' | 'onWritten'>,
): Promise<ConnectedRow> {
  const { runtime, place } = context;
  const { client, title, verified } = plan;
  let row: ConnectedRow = { client, title, state: 'failed', scope: wanted.scope, verified };
  try {
    const taken = taking && (await takeServers(context, reached, { ...taking, wanted }));
    // With the proof: another command would replace the token.
    return await runtime.clients.alone(place, reached.signal, async () => {
      const made = await makeToken(reached, plan, flags);
      const secret = { id: made.id, name: made.name, secret: made.token };
      const connection = await runtime.clients
        .apply(place, { ...wanted, ...(taken?.files && { taken: taken.files }) }, secret)
        .catch(async (error: unknown) => {
          await reached.request('revokeToken', { id: made.id }).catch(() => undefined);
          throw error;
        });
      row = {
        ...row,
        ...detailsOf({ plan, made, connection, url: wanted.url }),
        ...(taken && { taken: taken.result }),
      };
      await onWritten?.(row);
      const proof = await runtime.clients.prove(wanted.url, made.token, reached.signal);
      const problem = proofProblem(connection, proof);
      return { ...row, proof, ...(problem === undefined ? { state: 'connected' } : { reason: problem }) };
    });
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
