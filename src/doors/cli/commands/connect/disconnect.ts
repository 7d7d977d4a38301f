import { Argument, type Command } from 'commander';
import { EXIT, ProxyError } from '../../../../contract/errors.ts';
import { visibleLine } from '../../../../lib/visible-text.ts';
import { hint, print, withProxy, type Context, type Reached } from '../../context.ts';
import { choice, define, type Bind } from '../../define.ts';
import type { ConnectScope, Disconnected } from '../../client-runtime.ts';

interface DisconnectFlags {
  scope?: ConnectScope;
  all?: boolean;
}

export function disconnect(bind: Bind): Command {
  return define('disconnect', {
    summary: 'Take back what connect wrote for client programs',
    description:
      'Take back what "mcpproxy connect" wrote for client programs. A file that nobody has edited since is as it was before, byte for byte; from others only the parts of mcpproxy are removed. Servers that were taken out of the file come back, and the token is revoked.',
    examples: [
      'mcpproxy disconnect claude-code',
      'mcpproxy disconnect --all',
      'mcpproxy disconnect vscode --scope project -o json',
    ],
  })
    .addArgument(new Argument('[clients...]', 'clients such as "claude-code"'))
    .option('--all', 'every client that is connected; without --scope in every project too')
    .addOption(
      choice(
        '--scope <scope>',
        'files of the user, or of the project in the current directory (default: user)',
        ['user', 'project'],
      ),
    )
    .action(
      bind<DisconnectFlags>(async (context, { scope, all }, ...args) => {
        const [given] = args as unknown as [string[]];
        if (given.length === 0 && !all)
          throw new ProxyError('USAGE', 'Name the clients to disconnect, or use --all');
        const chosen = all
          ? await allConnected(context, scope)
          : await namedConnections(context, given, scope ?? 'user');
        if (chosen.length === 0) hint(context, 'No client is connected.');
        const done =
          chosen.length === 0
            ? []
            : await withProxy(context, 'daemon-or-offline', (reached) =>
                disconnectClients(context, reached, chosen),
              );
        await print(context, { clients: done.map(viewOf) }, () => done.map(textOf).join(''));
        return done.some(({ files }) => files.some(({ change }) => change === 'left'))
          ? EXIT.general
          : EXIT.ok;
      }),
    );
}

interface ToDisconnect {
  client: string;
  scope: ConnectScope;
  /** The project; absent: the current directory. */
  folder?: string;
}

/** Checked first: without a connection there is nothing for which the data directory would have to be opened. */
async function namedConnections(
  { runtime, place, io }: Context,
  names: readonly string[],
  scope: ConnectScope,
): Promise<ToDisconnect[]> {
  const connections = await runtime.clients.status(place);
  const chosen: ToDisconnect[] = [];
  for (const name of names) {
    const client = await runtime.clients.named(name);
    const isMine = connections.some(
      (each) =>
        each.client === client && each.scope === scope && (scope === 'user' || each.folder === io.cwd),
    );
    if (!isMine) throw notConnected({ client, scope });
    if (!chosen.some((each) => each.client === client)) chosen.push({ client, scope });
  }
  return chosen;
}

function notConnected({ client, scope }: ToDisconnect): ProxyError {
  return new ProxyError(
    'NOT_FOUND',
    `${visibleLine(client)} is not connected${scope === 'project' ? ' in this folder' : ''}. "mcpproxy connect --status" shows what is`,
  );
}

/** Without a scope everything, in every project. */
async function allConnected(
  { runtime, place, io }: Context,
  scope: ConnectScope | undefined,
): Promise<ToDisconnect[]> {
  const connections = await runtime.clients.status(place);
  return connections
    .filter((each) => scope === undefined || each.scope === scope)
    .filter((each) => scope !== 'project' || each.folder === io.cwd)
    .map(({ client, scope: its, folder }) => ({ client, scope: its, ...(folder !== null && { folder }) }));
}

export async function disconnectClients(
  { runtime, place }: Context,
  { request, signal }: Reached,
  chosen: readonly ToDisconnect[],
): Promise<Disconnected[]> {
  const done: Disconnected[] = [];
  for (const { client, scope, folder } of chosen)
    await runtime.clients.alone(place, signal, async () => {
      const result = await runtime.clients.disconnect(place, { client, scope, folder });
      if (!result) throw notConnected({ client, scope });
      done.push(result);
      // It may be revoked already.
      await request('revokeToken', { id: result.connection.token.id }).catch((error: unknown) => {
        if (!(error instanceof ProxyError) || error.code !== 'NOT_FOUND') throw error;
      });
    });
  return done;
}

function viewOf({ connection, files }: Disconnected) {
  const { client, scope, folder, token, taken } = connection;
  return {
    client,
    scope,
    folder,
    token: token.name,
    files,
    servers_put_back: taken.flatMap(({ names }) => names),
  };
}

const WORDS = {
  restored: 'as before',
  edited: 'without the parts of mcpproxy; it was edited since',
  removed: 'removed',
  left: 'left as it is',
} as const;

function textOf({ connection: { title, folder, token, taken }, files }: Disconnected): string {
  const servers = taken.flatMap(({ names }) => names).map(visibleLine);
  return [
    `disconnected  ${title}${folder === null ? '' : visibleLine(` (${folder})`)}`,
    ...files.flatMap(({ file, change, reason, copy }) => [
      `  file   ${visibleLine(file)} (${WORDS[change]}${reason === undefined ? '' : `: ${visibleLine(reason)}`})`,
      ...(copy === undefined ? [] : [`  copy   ${visibleLine(copy)} stays: the file as it was before`]),
    ]),
    ...(servers.length > 0
      ? [`  back   ${servers.join(', ')}: in the file again, and still behind the proxy`]
      : []),
    `  token  ${token.name} (revoked)`,
    '',
  ].join('\n');
}
