import type { Command } from 'commander';
import { resolve } from 'node:path';
import { EXIT, ProxyError } from '../../../contract/errors.ts';
import { counted, visibleLine } from '../../../lib/visible-text.ts';
import { print, withPlace, withProxy, type Context, type Reached } from '../context.ts';
import { checked, define, type Bind } from '../define.ts';
import type { Validation } from '../runtime.ts';
import { safeJson } from '../output/safe-json.ts';
import { configAccept, reviewLine } from './config-accept.ts';
import { configApply, configHistory, configRollback, showRevision } from './config-revisions.ts';

const LOCAL = ['output', 'config', 'dataDir'] as const;

export function config(bind: Bind): Command {
  return define('config', {
    summary: 'Show, check, change and confirm the configuration',
    examples: [
      'mcpproxy config show',
      'mcpproxy config validate ./mcp_config.json',
      'mcpproxy config apply ./mcp_config.json --dry-run',
    ],
    subcommands: [
      configPath(bind),
      configShow(bind),
      configValidate(bind),
      configAccept(bind),
      configApply(bind),
      configHistory(bind),
      configRollback(bind),
    ],
  });
}

function configPath(bind: Bind): Command {
  return define('path', {
    summary: 'Print the path of the configuration file',
    examples: ['mcpproxy config path', '"$EDITOR" "$(mcpproxy config path)"'],
    globals: [...LOCAL],
  }).action(
    bind(async (context) => {
      const paths = await context.runtime.config.paths(context.place);
      await print(context, paths, () => `${visibleLine(paths.config_file)}\n`);
    }),
  );
}

function configShow(bind: Bind): Command {
  return define('show', {
    summary: 'Print the active configuration (file, environment and defaults), with secrets masked',
    description:
      'Print the active configuration (file, environment and defaults), with secrets masked: the one that the running daemon uses or, without a daemon, the one that it would start with. An edit of the file that waits for a confirmation is named on stderr.',
    examples: ['mcpproxy config show', 'mcpproxy config show -o yaml', 'mcpproxy config show --revision 7'],
    globals: [...LOCAL],
  })
    .addOption(
      checked(
        '--revision <number>',
        'this revision of the shared settings (see "mcpproxy config history")',
        ({ routes }) => routes.getConfigRevision.params.shape.revision,
      ),
    )
    .action(
      bind<{ revision?: number }>(async (context, { revision }) => {
        if (revision !== undefined) return showRevision(context, revision);
        const daemon = await askDaemon(context, async ({ request }) => ({
          inForce: (await request('getConfig', {})).in_force,
          state: (await request('status', {})).config_state,
        }));
        const shown = daemon?.inForce ?? (await context.runtime.config.show(context.place));
        if (daemon?.state?.waiting)
          context.io.err(
            `${withPlace(context.place, `${visibleLine(reviewLine(daemon.state)!)}. Run: mcpproxy config accept`)}\n`,
          );
        // A configuration is a tree, so people get JSON too.
        await print(context, shown, () => `${safeJson(shown, 2)}\n`);
      }),
    );
}

function configValidate(bind: Bind): Command {
  return define('validate', {
    summary: 'Check a configuration file without using it',
    description:
      'Check a configuration file without using it. Exits with code 4 if the proxy would not start with it. Unusable servers, unset environment variables and keys without effect are warnings: the proxy still starts, and all other servers work.',
    examples: ['mcpproxy config validate', 'mcpproxy config validate ./mcp_config.json -o json'],
    globals: [...LOCAL],
  })
    .argument('[file]', 'file to check (default: the one that "config path" prints)')
    .action(
      bind(async (context, _, file) => {
        const result = await context.runtime.config.validate(context.place, file);
        const valid = result.problems.length === 0;
        const waiting = valid ? await waitingEdit(context, result.file) : undefined;
        await print(context, { ...result, valid, ...(waiting && { waiting }) }, () =>
          withPlace(context.place, resultText(result, waiting)),
        );
        return valid ? EXIT.ok : EXIT.config;
      }),
    );
}

/** What the daemon says about an edit of this file that waits. */
async function waitingEdit(context: Context, file: string): Promise<string | undefined> {
  const status = await askDaemon(context, ({ request }) => request('status', {}));
  return status?.config_state?.waiting && resolve(status.config_file) === resolve(file)
    ? reviewLine(status.config_state)
    : undefined;
}

/** Undefined if no daemon runs here. One that does not answer this credential is named on stderr. */
async function askDaemon<T>(context: Context, ask: (reached: Reached) => Promise<T>): Promise<T | undefined> {
  try {
    return await withProxy(context, 'daemon-or-files', async (reached) =>
      reached.embedded ? undefined : ask(reached),
    );
  } catch (error) {
    if (!(error instanceof ProxyError) || error.code === 'CONFIG_INVALID') throw error;
    context.io.err(
      `A running daemon was not asked, so this is about the file alone: ${visibleLine(error.message)}\n`,
    );
    return undefined;
  }
}

function resultText({ file, problems, warnings }: Validation, waiting?: string): string {
  const summary = [
    `${file}: valid${warnings.length > 0 ? `, ${counted(warnings.length, 'warning')}` : ''}`,
    ...(waiting === undefined ? [] : [`${waiting}. Run: mcpproxy config accept`]),
  ].join('; ');
  const lines = [
    ...warnings.map((warning) => `warning: ${warning}`),
    ...(problems.length > 0 ? problems : [summary]),
  ];
  return lines.map((line) => `${visibleLine(line)}\n`).join('');
}
