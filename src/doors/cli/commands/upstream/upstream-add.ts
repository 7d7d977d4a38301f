import type { Command } from 'commander';
import type { ServerConfig } from '../../../../contract/config.ts';
import { ProxyError } from '../../../../contract/errors.ts';
import type { ServerView } from '../../../../contract/status.ts';
import type { JudgedTool } from '../../../../contract/tool.ts';
import { TRANSPORTS } from '../../../../contract/values.ts';
import { visibleLine } from '../../../../lib/visible-text.ts';
import { hint, print, withProxy, type Context, type Reached } from '../../context.ts';
import { choice, define, repeated, type Bind } from '../../define.ts';
import { readPairs, targetOf } from './server-flags.ts';
import { serverLines } from './server-lines.ts';
import { startDirectory } from './start-directory.ts';
import { reviewLines, toolsOf } from './server-review.ts';
import { exitCodeOf, hintNext, untilStarted } from './until-started.ts';

interface AddFlags {
  url?: string;
  type?: ServerConfig['type'];
  header?: string[];
  env?: string[];
  cwd?: string;
  disabled?: boolean;
  keep?: boolean;
  drop?: boolean;
  wait?: boolean;
}

export function upstreamAdd(bind: Bind): Command {
  return define('add', {
    summary: 'Add a server and write it to the configuration file',
    description:
      'Add a server and write it to the configuration file, then wait until it has started. Everything after -- is the command to start. If it fails, the command ends with exit code 9; the server stays in the configuration, unless you drop it. To keep a secret out of the file and the shell history, write ${env:NAME} or ${file:PATH} in single quotes.',
    examples: [
      'mcpproxy upstream add files -- npx -y @modelcontextprotocol/server-filesystem ~/notes',
      "mcpproxy upstream add github --url https://example.com/mcp --header 'Authorization=Bearer ${env:GITHUB_TOKEN}'",
      'mcpproxy upstream add time --drop -- uvx mcp-server-time',
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
    .addOption(
      repeated('--header <name=value>', 'header for a remote server; can be repeated; value "-": from stdin'),
    )
    .addOption(
      repeated(
        '--env <name=value>',
        'environment variable for the program; can be repeated; value "-": from stdin',
      ),
    )
    .option(
      '--cwd <dir>',
      'working directory of the program; default: this directory if a relative path of the command exists here',
    )
    .addOption(
      choice('--type <type>', 'transport, if it cannot be derived from the other options', TRANSPORTS),
    )
    .option('--disabled', 'add the server disabled')
    .option('--keep', 'keep the server in the configuration if it fails, without a question')
    .option('--drop', 'remove the server again if it fails')
    .option('--no-wait', 'do not wait until the server has started')
    .action(
      bind<AddFlags>(async (context, flags, ...args) => {
        // The last argument is variadic: commander gives it as a list.
        const [name, command] = args as unknown as [string, string[]];
        if (flags.keep && flags.drop) throw new ProxyError('USAGE', 'Use either --keep or --drop, not both');
        return add(context, { name, ...(await wantedServer(context, flags, command)) }, flags);
      }),
    );
}

interface Added {
  server: ServerView;
  embedded: boolean;
  dropped: boolean;
  /** Of a server that runs now. */
  tools: JudgedTool[];
}

async function add(
  context: Context,
  body: { name: string; config: ServerConfig; secret?: string },
  flags: AddFlags,
): Promise<number> {
  const { server, embedded, dropped, tools } = await withProxy(
    context,
    'daemon-or-offline',
    async (reached): Promise<Added> => {
      const first = await reached.request('addServer', { body });
      const server = flags.wait === false ? first : await untilStarted(context, reached, first);
      const dropped = server.state === 'failed' && (await isDropped(context, server, flags));
      if (dropped) await remove(reached, server);
      const tools = server.state === 'ready' ? await toolsOf(reached, server.name) : [];
      return { server, embedded: reached.embedded, dropped, tools };
    },
  );
  await print(context, server, () => serverLines(context, server) + reviewLines(context, server.name, tools));
  hintOutcome(context, { server, embedded, dropped });
  return exitCodeOf(server);
}

function hintOutcome(context: Context, { server, embedded, dropped }: Omit<Added, 'tools'>): void {
  const { name, state } = server;
  if (dropped) return hint(context, 'The server failed, so it was removed again.');
  if (embedded && state !== 'failed')
    return hint(context, 'Added to the configuration. The server starts with the proxy.');
  if (state === 'disabled')
    return hint(context, `Added, disabled. Start it with: mcpproxy upstream enable ${name}`);
  if (state === 'failed')
    return hint(
      context,
      `Added, but the server failed. Change it with: mcpproxy upstream edit ${name}. Remove it with: mcpproxy upstream remove ${name}`,
    );
  return hintNext(context, server);
}

async function remove({ request }: Reached, { name }: ServerView): Promise<void> {
  await request('removeServer', { name });
}

/** Asks only on a terminal. A script keeps the server unless it says otherwise, so that its settings are not lost. */
async function isDropped(
  { io }: Context,
  { name, last_error: error }: ServerView,
  flags: AddFlags,
): Promise<boolean> {
  if (flags.drop || flags.keep) return flags.drop === true;
  if (!io.terminal.in || !io.terminal.err) return false;
  const why = error === undefined ? '' : `: ${visibleLine(error)}`;
  const answer = await io.ask(
    `Server '${visibleLine(name)}' failed${why}\nKeep it in the configuration? [Y/n] `,
  );
  return /^n(o)?$/i.test(answer.trim());
}

/** The configuration of the new server, which the schema of the route validates, and which value of it is a secret. */
async function wantedServer(
  context: Context,
  flags: AddFlags,
  command: string[],
): Promise<{ config: ServerConfig; secret?: string }> {
  const { url, type, cwd, disabled } = flags;
  const target = targetOf(command, url);
  const { secret, ...pairs } = await readPairs(context.io, flags);
  const config = {
    ...target,
    ...(type && { type }),
    ...pairs,
    ...startDirectory(context, command, cwd),
    ...(disabled && { enabled: false }),
  };
  return { config, ...(secret !== undefined && { secret }) };
}
