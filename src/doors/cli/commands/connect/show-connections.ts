import { EXIT } from '../../../../contract/errors.ts';
import type { TokenView } from '../../../../contract/token.ts';
import { counted, visibleLine } from '../../../../lib/visible-text.ts';
import { hint, print, withPlace, withProxy, type Context } from '../../context.ts';
import { withAddresses, type AddressedConnection } from './check-addresses.ts';
import type { ClientConnection } from '../../client-runtime.ts';
import { NO_RULES, RULES } from './connect-text.ts';
import { table, type Cell } from '../../output/table.ts';
import { localTime } from '../../output/time.ts';

/** A connection with the state of its token. */
export interface ConnectionView extends ClientConnection {
  state: 'connected' | 'changed' | 'no token' | 'no proxy';
  token_status: TokenView['status'] | 'unknown';
  expires_at: string | null;
  last_seen_at: string | null;
}

/** `connect --status`. Exit code 1 if a connection does not work as it was made, or a client that is named has none. */
export async function showConnections(context: Context, names: readonly string[]): Promise<number> {
  const all = await connectionViews(context);
  const wanted = await Promise.all(names.map((name) => context.runtime.clients.named(name)));
  const views = names.length === 0 ? all : all.filter(({ client }) => wanted.includes(client));
  const absent = wanted.filter((name) => !views.some(({ client }) => client === name));
  await print(context, { clients: views }, () => (views.length === 0 ? '' : overview(context, views)));
  for (const name of absent)
    hint(context, `${name} is not connected. To connect it: mcpproxy connect ${name}`);
  if (views.length + absent.length === 0)
    hint(context, 'No client is connected. Connect one with: mcpproxy connect');
  const isFine = absent.length === 0 && views.every(({ state }) => state === 'connected');
  return isFine ? EXIT.ok : EXIT.general;
}

export async function connectionViews(context: Context): Promise<ConnectionView[]> {
  const connections = await context.runtime.clients.status(context.place);
  if (connections.length === 0) return [];
  return withProxy(context, 'daemon-or-offline', async (reached) => {
    const { tokens } = await reached.request('listTokens', { all: 'true' });
    return withTokens(await withAddresses(context, reached, connections), tokens);
  });
}

export function withTokens(
  connections: readonly AddressedConnection[],
  tokens: readonly TokenView[],
): ConnectionView[] {
  return connections.map(({ proxyStopped = false, ...connection }) => {
    const token = tokens.find(({ id }) => id === connection.token.id);
    return {
      ...connection,
      state: stateOf(connection, token, proxyStopped),
      token_status: token?.status ?? 'unknown',
      expires_at: token?.expires_at ?? null,
      last_seen_at: lastSeen(connection, token),
    };
  });
}

function stateOf(
  { problems }: ClientConnection,
  token: TokenView | undefined,
  proxyStopped: boolean,
): ConnectionView['state'] {
  if (token?.status !== 'active') return 'no token';
  if (problems.length > 0) return 'changed';
  return proxyStopped ? 'no proxy' : 'connected';
}

/** The proof of the connection is no use by the client. */
const PROOF_MS = 20_000;

function lastSeen({ connected_at: at }: ClientConnection, token: TokenView | undefined): string | null {
  const used = token?.last_used_at ?? null;
  return used === null || Date.parse(used) - Date.parse(at) < PROOF_MS ? null : used;
}

function overview({ style, place }: Context, views: readonly ConnectionView[]): string {
  const { green, yellow, red } = style.colors;
  const paint = { connected: green, changed: yellow, 'no token': red, 'no proxy': red };
  const rows = views.map((view): Cell[] => [
    view.title,
    { text: view.state, paint: paint[view.state] },
    view.scope,
    `${view.token.name} (${view.token_status})`,
    view.last_seen_at === null ? 'never' : localTime(view.last_seen_at),
    withPlace(place, detailOf(view)),
  ]);
  return table(
    style,
    [
      { title: 'CLIENT', whole: true },
      { title: 'STATE', whole: true },
      { title: 'SCOPE', whole: true },
      { title: 'TOKEN', whole: true },
      { title: 'LAST SEEN', whole: true },
      { title: 'DETAIL', wrap: true },
    ],
    rows,
  );
}

export function detailOf(view: ConnectionView): string {
  const { client, problems, state, files, taken, verified, scope, folder, rules, url } = view;
  const flag = scope === 'project' ? ` --scope project, in ${visibleLine(folder ?? '')}` : '';
  const again = `To write it again: mcpproxy connect ${client}${flag}`;
  if (state === 'no token') return `the token was revoked or has expired. ${again}`;
  if (state === 'changed') return `${problems.join('; ')}. ${again}`;
  if (state === 'no proxy') return `nothing answers at ${url}. Start the proxy with: mcpproxy serve`;
  const servers = taken.reduce((sum, { names }) => sum + names.length, 0);
  return [
    `${rules === null ? `rules: ${NO_RULES}` : RULES}; ${counted(files.length, 'file')} as written`,
    ...(servers > 0 ? [`${counted(servers, 'server')} taken`] : []),
    ...(verified === null ? ['unverified'] : []),
    ...(folder === null ? [] : [visibleLine(`in ${folder}`)]),
  ].join('; ');
}
