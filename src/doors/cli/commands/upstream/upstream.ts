import type { Command } from 'commander';
import type { RouteOutput } from '../../../../contract/routes/api.ts';
import { stateText, type ServerView } from '../../../../contract/status.ts';
import { counted, visibleLine } from '../../../../lib/visible-text.ts';
import { hint, print, withProxy, type Context } from '../../context.ts';
import { checked, define, type Bind } from '../../define.ts';
import { stateCell, type Style } from '../../output/style.ts';
import { table } from '../../output/table.ts';
import { localTime } from '../../output/time.ts';
import { serverLines, settingLines } from './server-lines.ts';
import { upstreamAdd } from './upstream-add.ts';
import { upstreamApprove } from './upstream-approve.ts';
import { upstreamEdit } from './upstream-edit.ts';
import { upstreamLogin, upstreamLogout } from './upstream-login.ts';
import { upstreamTest } from './upstream-test.ts';

export function upstream(bind: Bind): Command {
  return define('upstream', {
    summary: 'Manage the MCP servers behind the proxy',
    examples: [
      'mcpproxy upstream list',
      'mcpproxy upstream add files -- npx -y @modelcontextprotocol/server-filesystem .',
      'mcpproxy upstream logs files',
    ],
    subcommands: [
      upstreamList(bind),
      upstreamShow(bind),
      upstreamAdd(bind),
      upstreamTest(bind),
      upstreamEdit(bind),
      upstreamRemove(bind),
      upstreamToggle(bind, 'enable', 'Enable a server'),
      upstreamToggle(bind, 'disable', 'Disable a server and hide its tools'),
      upstreamRestart(bind),
      upstreamLogin(bind),
      upstreamLogout(bind),
      upstreamApprove(bind),
      upstreamLogs(bind),
    ],
  });
}

function upstreamList(bind: Bind): Command {
  return define('list', {
    summary: 'List all servers and their state',
    examples: ['mcpproxy upstream list', 'mcpproxy upstream list -o json'],
  }).action(
    bind(async (context) => {
      const answer = await withProxy(context, 'daemon-or-embedded', ({ request }) =>
        request('listServers', {}),
      );
      await print(context, answer, () => overview(context.style, answer.servers, context.io.now()));
    }),
  );
}

const MAX_TITLE = 60;

function overview(style: Style, servers: ServerView[], now: number): string {
  // The title differs from the name only where an alias was derived.
  const titled = servers.some(({ name, title }) => name !== title);
  const columns = [
    { title: 'NAME', whole: true },
    ...(titled ? [{ title: 'TITLE', optional: true }] : []),
    { title: 'STATE' },
    { title: 'TOOLS', align: 'right' as const },
    { title: 'TRANSPORT' },
    { title: 'TARGET' },
  ];
  const failing = servers.some((server) => server.last_error);
  const rows = servers.map((server) => [
    server.name,
    ...(titled ? [server.title === server.name ? '' : server.title.slice(0, MAX_TITLE)] : []),
    { ...stateCell(style, server.state), text: stateText(server, now) },
    server.tool_count,
    server.transport,
    server.target,
    ...(failing ? [server.last_error] : []),
  ]);
  const more = failing ? [{ title: 'LAST ERROR' }] : [];
  return table(style, [...columns, ...more], rows);
}

function upstreamShow(bind: Bind): Command {
  return define('show', {
    summary: 'Show the state of a server, why it failed, what to do, and its settings',
    examples: ['mcpproxy upstream show files', 'mcpproxy upstream show files -o json'],
  })
    .argument('<name>', 'name or alias of the server')
    .action(
      bind(async (context, _, name) => {
        const { server, settings } = await withProxy(context, 'daemon-or-embedded', async ({ request }) => {
          const server = await request('getServer', { name });
          // A built-in server has none.
          if (server.transport === 'builtin') return { server, settings: {} };
          return { server, settings: (await request('serverSettings', { name })).settings };
        });
        await print(
          context,
          { ...server, settings },
          () => serverLines(context, server) + settingLines(context, settings),
        );
      }),
    );
}

interface RemoveFlags {
  yes?: boolean;
}

function upstreamRemove(bind: Bind): Command {
  return define('remove', {
    summary: 'Remove a server from the configuration',
    examples: ['mcpproxy upstream remove files', 'mcpproxy upstream remove files --yes'],
  })
    .argument('<name>', 'name of the server')
    .option('-y, --yes', 'do not ask for confirmation')
    .action(
      bind<RemoveFlags>(async (context, { yes }, name) => {
        if (!yes && !(await confirmed(context, name)))
          return hint(context, 'Cancelled. The server was not removed.');
        const done = await withProxy(context, 'daemon-or-offline', ({ request }) =>
          request('removeServer', { name }),
        );
        await print(context, done, () => `Removed ${visibleLine(name)}\n`);
      }),
    );
}

/** Asks only on a terminal: a script cannot answer. */
async function confirmed({ io }: Context, name: string): Promise<boolean> {
  if (!io.terminal.in || !io.terminal.err) return true;
  const answer = await io.ask(`Remove server '${visibleLine(name)}' and its settings? [y/N] `);
  return /^y(es)?$/i.test(answer.trim());
}

function upstreamToggle(bind: Bind, verb: 'enable' | 'disable', summary: string): Command {
  return define(verb, {
    summary,
    examples: [`mcpproxy upstream ${verb} files`, `mcpproxy upstream ${verb} files -o json`],
  })
    .argument('<name>', 'name of the server')
    .action(
      bind(async (context, _, name) => {
        const server = await withProxy(context, 'daemon-or-offline', ({ request }) =>
          request(`${verb}Server`, { name }),
        );
        await print(context, server, () => serverLines(context, server));
      }),
    );
}

function upstreamRestart(bind: Bind): Command {
  return define('restart', {
    summary: 'Restart a server of the running daemon',
    examples: ['mcpproxy upstream restart files', 'mcpproxy upstream restart files -o json'],
  })
    .argument('<name>', 'name of the server')
    .action(
      bind(async (context, _, name) => {
        const server = await withProxy(context, 'daemon', ({ request }) =>
          request('restartServer', { name }),
        );
        await print(context, server, () => serverLines(context, server));
      }),
    );
}

interface LogFlags {
  tail?: number;
}

function upstreamLogs(bind: Bind): Command {
  return define('logs', {
    summary: 'Show the last lines that a server of the running daemon wrote to stderr',
    examples: ['mcpproxy upstream logs files', 'mcpproxy upstream logs files --tail 20'],
  })
    .argument('<name>', 'name of the server')
    .addOption(
      checked(
        '--tail <n>',
        'number of lines (1–1000, default 100)',
        ({ routes }) => routes.serverLogs.query.shape.tail,
      ),
    )
    .action(
      bind<LogFlags>(async (context, { tail }, name) => {
        const log = await withProxy(context, 'daemon', ({ request }) =>
          request('serverLogs', { name, ...(tail && { tail }) }),
        );
        await print(context, log, () => logLines(context.style, log));
        if (log.dropped > 0) hint(context, `${counted(log.dropped, 'older line')} dropped.`);
      }),
    );
}

function logLines({ colors }: Style, { lines }: RouteOutput<'serverLogs'>): string {
  return lines
    .map(({ time, text }) => `${colors.dim(visibleLine(localTime(time)))} ${visibleLine(text)}\n`)
    .join('');
}
