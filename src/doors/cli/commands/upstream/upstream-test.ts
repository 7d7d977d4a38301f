import type { Command } from 'commander';
import type { ServerConfig } from '../../../../contract/config.ts';
import { EXIT, ProxyError } from '../../../../contract/errors.ts';
import type { ServerTest } from '../../../../contract/status.ts';
import { counted } from '../../../../lib/visible-text.ts';
import { print, withPlace, withProxy, type Context } from '../../context.ts';
import { define, repeated, type Bind } from '../../define.ts';
import { fields, heading, table } from '../../output/table.ts';
import { readPairs } from './server-flags.ts';
import { startDirectory } from './start-directory.ts';

interface TestFlags {
  header?: string[];
  env?: string[];
  cwd?: string;
  startupTimeout?: string;
}

/** The proxy ends the start of a server at its startup_timeout; this is only against a hang. */
const LIMIT_MS = 30 * 60_000;

export function upstreamTest(bind: Bind): Command {
  return define('test', {
    summary: 'Connect to a server and show what it offers, without adding it',
    description:
      'Connect to a server and show what it offers, without adding it. Give the name of a configured server, a URL, or a command after --. A configured server is started a second time beside the one that runs. If the server fails, the command ends with exit code 9.',
    examples: [
      'mcpproxy upstream test files',
      'mcpproxy upstream test -- uvx mcp-server-time',
      'mcpproxy upstream test https://example.com/mcp --header Authorization=- < token.txt',
    ],
  })
    .usage('[options] (<name> | <url> | -- <command> [args...])')
    .argument(
      '[target...]',
      'name of a configured server, or URL; after --: the program to start and its arguments',
    )
    .addOption(repeated('--header <name=value>', 'header for a URL; can be repeated; value "-": from stdin'))
    .addOption(
      repeated(
        '--env <name=value>',
        'environment variable for a program; can be repeated; value "-": from stdin',
      ),
    )
    .option(
      '--cwd <dir>',
      'working directory of the program; default: this directory if a relative path of the command exists here',
    )
    .option('--startup-timeout <duration>', 'time to its first answer, as in 5m')
    .action(
      bind<TestFlags>(async (context, flags, ...args) => {
        const [target] = args as unknown as [string[]];
        const body = await requestOf(context, target, flags);
        const result = await withProxy(context, 'daemon-or-offline', ({ request }) =>
          request('testServer', { body }, LIMIT_MS),
        );
        await print(context, result, () => resultLines(context, result));
        return result.ok ? EXIT.ok : EXIT.serverFailed;
      }),
    );
}

async function requestOf(
  context: Context,
  target: string[],
  flags: TestFlags,
): Promise<{ name: string } | { config: ServerConfig }> {
  const { io, program } = context;
  const [first, ...rest] = target;
  const isProgram = program !== undefined && program.length > 0;
  if (first === undefined || (isProgram ? program.length !== target.length : rest.length > 0))
    throw new ProxyError('USAGE', 'Specify one thing to test: a name, a URL, or a command after --');
  const { secret: _, ...pairs } = await readPairs(io, flags);
  const more: ServerConfig = {
    ...pairs,
    ...startDirectory(context, isProgram ? target : [], flags.cwd),
    ...(flags.startupTimeout && { startup_timeout: flags.startupTimeout }),
  };
  if (isProgram) return { config: { command: first, args: rest, ...more } };
  if (/^https?:\/\//.test(first)) return { config: { url: first, ...more } };
  if (Object.keys(more).length > 0)
    throw new ProxyError(
      'USAGE',
      'These flags are for a URL or a command. Change a configured server with: mcpproxy upstream edit NAME',
    );
  return { name: first };
}

function resultLines({ style, place }: Context, result: ServerTest): string {
  const info = result.server_info;
  const facts = fields(style, [
    [
      'Result',
      result.ok ? { text: 'ready', paint: style.colors.green } : { text: 'failed', paint: style.colors.red },
    ],
    ['Error', result.error],
    ['What to do', result.next_step && withPlace(place, result.next_step)],
    ['Target', result.target],
    ['Transport', result.transport],
    ['Protocol', result.protocol],
    ['Says it is', info && `${info.name} ${info.version}`],
    ['Offers', result.offers?.join(', ')],
    ['Took', `${(result.duration_ms / 1000).toFixed(1)} s`],
    ['Not usable', result.complaints?.join('; ')],
  ]);
  const tools = result.tools ?? [];
  if (tools.length === 0) return facts;
  const rows = tools.map(({ name, hint, description }) => [name, hint, description]);
  const columns = [{ title: 'TOOL', whole: true }, { title: 'HINT' }, { title: 'DESCRIPTION' }];
  return `${facts}${heading(style, counted(tools.length, 'tool'))}${table(style, columns, rows)}`;
}
