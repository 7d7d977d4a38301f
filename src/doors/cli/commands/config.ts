import type { Command } from 'commander';
import { EXIT } from '../../../contract/errors.ts';
import { counted, visibleLine } from '../../../lib/visible-text.ts';
import { print } from '../context.ts';
import { define, type Bind } from '../define.ts';
import type { Validation } from '../runtime.ts';
import { safeJson } from '../output/safe-json.ts';
import { configAccept } from './config-accept.ts';

const LOCAL = ['output', 'config', 'dataDir'] as const;

export function config(bind: Bind): Command {
  return define('config', {
    summary: 'Show, check and confirm the configuration',
    examples: [
      'mcpproxy config show',
      'mcpproxy config validate ./mcp_config.json',
      'mcpproxy config accept',
    ],
    subcommands: [configPath(bind), configShow(bind), configValidate(bind), configAccept(bind)],
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
    examples: ['mcpproxy config show', 'mcpproxy config show -o yaml'],
    globals: [...LOCAL],
  }).action(
    bind(async (context) => {
      const shown = await context.runtime.config.show(context.place);
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
        await print(context, { ...result, valid }, () => resultText(result));
        return valid ? EXIT.ok : EXIT.config;
      }),
    );
}

function resultText({ file, problems, warnings }: Validation): string {
  const summary = `${file}: valid${warnings.length > 0 ? `, ${counted(warnings.length, 'warning')}` : ''}`;
  const lines = [
    ...warnings.map((warning) => `warning: ${warning}`),
    ...(problems.length > 0 ? problems : [summary]),
  ];
  return lines.map((line) => `${visibleLine(line)}\n`).join('');
}
