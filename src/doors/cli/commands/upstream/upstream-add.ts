import type { Command } from 'commander';
import { ServerConfig } from '../../../../contract/config.ts';
import { ProxyError } from '../../../../contract/errors.ts';
import { hint, print, withProxy, type Context } from '../../context.ts';
import { choice, define, repeated, type Bind } from '../../define.ts';
import { waitingText, type ServerView } from '../../../../contract/status.ts';
import { stateCell, type Style } from '../../output/style.ts';
import { fields } from '../../output/table.ts';

interface AddFlags {
  url?: string;
  type?: ServerConfig['type'];
  header?: string[];
  env?: string[];
  cwd?: string;
  disabled?: boolean;
}

export function upstreamAdd(bind: Bind): Command {
  return define('add', {
    summary: 'Add a server and write it to the configuration file',
    description:
      'Add a server and write it to the configuration file. Everything after -- is the command to start. To keep a secret out of the file and the shell history, write ${env:NAME} or ${file:PATH} in single quotes.',
    examples: [
      'mcpproxy upstream add files -- npx -y @modelcontextprotocol/server-filesystem ~/notes',
      "mcpproxy upstream add github --url https://example.com/mcp --header 'Authorization=Bearer ${env:GITHUB_TOKEN}'",
      "mcpproxy upstream add db --env 'DB_URL=${env:DB_URL}' -- node server.js",
    ],
    globals: ['output', 'config', 'dataDir', 'apiKey'],
  })
    .usage('[options] <name> (-- <command> [args...] | --url <url>)')
    .argument(
      '<name>',
      'name of the server; its tools are called NAME:tool. If the name contains characters other than letters, digits, "_", "." and "-", an alias is derived and the tools are called ALIAS:tool',
    )
    .argument('[command...]', 'after --: the program to start and its arguments')
    .option('--url <url>', 'address of a remote server (put the --url of a daemon before the command)')
    .addOption(repeated('--header <name=value>', 'header for a remote server; can be repeated'))
    .addOption(repeated('--env <name=value>', 'environment variable for the program; can be repeated'))
    .option('--cwd <dir>', 'working directory of the program')
    .addOption(
      choice(
        '--type <type>',
        'transport, if it cannot be derived from the other options',
        ServerConfig.shape.type.unwrap().options,
      ),
    )
    .option('--disabled', 'add the server disabled')
    .action(
      bind<AddFlags>((context, flags, ...args) => {
        // The last argument is variadic: commander gives it as a list.
        const [name, command] = args as unknown as [string, string[]];
        return add(context, name, configOf(flags, command));
      }),
    );
}

async function add(context: Context, name: string, config: ServerConfig): Promise<void> {
  const body = { name, config };
  const reached = await withProxy(context, 'daemon-or-offline', async ({ request, embedded }) => ({
    server: await request('addServer', { body }),
    embedded,
  }));
  await print(context, reached.server, () => serverLines(context.style, reached.server, context.io.now()));
  hint(
    context,
    reached.embedded
      ? 'Added to the configuration. The server starts with the proxy.'
      : `List its tools with "mcpproxy tools list --server ${reached.server.name}".`,
  );
}

/** The configuration of the new server. The schema of the route validates it. */
function configOf(flags: AddFlags, command: string[]): ServerConfig {
  const { url, type, header, env, cwd, disabled } = flags;
  return {
    ...targetOf(command, url),
    ...(type && { type }),
    ...(header && { headers: pairs(header, '--header') }),
    ...(env && { env: pairs(env, '--env') }),
    ...(cwd && { cwd }),
    ...(disabled && { enabled: false }),
  };
}

function targetOf([command, ...args]: string[], url: string | undefined): ServerConfig {
  if (!command && !url)
    throw new ProxyError('USAGE', 'Specify how to reach the server: a command after --, or --url URL');
  if (command && url) throw new ProxyError('USAGE', 'Use either a command after -- or --url, not both');
  return command ? { command, ...(args.length > 0 && { args }) } : { url: url! };
}

function pairs(list: string[], flag: string): Record<string, string> {
  return Object.fromEntries(
    list.map((pair) => {
      const at = pair.indexOf('=');
      // The value may contain a secret, so the error names only the flag.
      if (at < 1) throw new ProxyError('USAGE', `${flag} must have the form NAME=VALUE`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

/** The details of a server. */
export function serverLines(style: Style, server: ServerView, now: number): string {
  return fields(style, [
    ['Server', server.name],
    ['Title', server.title === server.name ? undefined : server.title],
    ['Description', server.description],
    ['State', stateCell(style, server.state)],
    ['Progress', waitingText(server, now)],
    ['Tools', server.tool_count],
    ['Target', server.target],
    ['Last error', server.last_error],
    ['Warnings', server.warnings?.join('; ')],
  ]);
}
