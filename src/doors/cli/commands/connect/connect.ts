import { Argument, type Command } from 'commander';
import { EXIT, ProxyError } from '../../../../contract/errors.ts';
import { hint, print, type Context } from '../../context.ts';
import { checked, choice, define, type Bind } from '../../define.ts';
import type { ConnectFlags } from './connected-row.ts';
import { chooseClients } from './choose-clients.ts';
import { connectClients } from './connect-clients.ts';
import { endpointFor } from './endpoint.ts';
import { printedText, plansText } from './connect-text.ts';
import { showConnections } from './show-connections.ts';

export function connect(bind: Bind): Command {
  return define('connect', {
    summary: 'Connect client programs to the proxy',
    description:
      'Connect client programs to the proxy. Each client gets a token of its own, an entry in its own file, and permission rules: reads pass, writes and destructive calls ask. Then the connection is proved: a handshake with the token, the five tools, and the rules read back. A dated copy of each changed file stays beside it; "mcpproxy disconnect" takes everything back. Without a client, the command shows the clients of this machine and asks.',
    examples: [
      'mcpproxy connect claude-code codex',
      'mcpproxy connect vscode --scope project --dry-run',
      'mcpproxy connect --status',
    ],
  })
    .addArgument(new Argument('[clients...]', 'clients such as "claude-code"'))
    .option('--all', 'every client that is installed here')
    .option('--status', 'show who is connected, with which token and rules, and what has changed since')
    .option('--dry-run', 'show the changes as a diff; nothing is changed')
    .option('--print', 'print the entries for a client on another machine; nothing is changed')
    .addOption(
      choice(
        '--scope <scope>',
        'files of the user, or of the project in the current directory (default: user)',
        ['user', 'project'],
      ),
    )
    .option(
      '--take-servers',
      "put the client's other servers behind the proxy and take them out of its files; disconnect puts them back",
    )
    .addOption(
      checked(
        '--expires <duration>',
        'life of the token, as in 90d, or "never" (default: 90d)',
        ({ NewToken }) => NewToken.shape.expires.unwrap(),
      ),
    )
    .action(
      bind<ConnectFlags>((context, flags, ...args) => {
        // The argument is variadic: commander gives it as a list.
        const [names] = args as unknown as [string[]];
        return run(context, flags, names);
      }),
    );
}

async function run(context: Context, flags: ConnectFlags, names: string[]): Promise<number> {
  if ([flags.status, flags.dryRun, flags.print].filter(Boolean).length > 1)
    throw new ProxyError('USAGE', 'Use only one of --status, --dry-run and --print');
  if (flags.status) return showConnections(context, names);
  const clients = await chooseClients(context, names, flags.all === true);
  if (clients.length === 0) {
    hint(context, 'Nothing was connected.');
    return EXIT.ok;
  }
  const { scope = 'user' } = flags;
  const { runtime, place } = context;
  if (flags.print) {
    const url = await endpointFor(context);
    const printed = await Promise.all(
      clients.map((client) => runtime.clients.print(place, { client, scope, url })),
    );
    await print(context, { clients: printed }, () => printedText(printed, url));
    return EXIT.ok;
  }
  if (flags.dryRun) {
    const url = await endpointFor(context);
    const plans = await Promise.all(
      clients.map((client) => runtime.clients.plan(place, { client, scope, url })),
    );
    await print(context, { dry_run: true, clients: plans }, () => plansText(plans));
    hint(context, 'Nothing was changed.');
    return EXIT.ok;
  }
  return connectClients(context, { clients, scope, flags, take: flags.takeServers ? 'all' : 'ask' });
}
