import type { Command } from 'commander';
import { EXIT } from '../../../contract/errors.ts';
import { visibleLine } from '../../../lib/visible-text.ts';
import { print } from '../context.ts';
import { define, type Bind } from '../define.ts';
import type { Validation } from '../runtime.ts';
import { safeJson } from '../output/safe-json.ts';

const LOCAL = ['output', 'config', 'dataDir'] as const;

export function config(bind: Bind): Command {
  return define('config', {
    summary: 'The configuration file',
    examples: ['mcpproxy config path', 'mcpproxy config show', 'mcpproxy config validate ./mcp_config.json'],
    globals: [...LOCAL],
    subcommands: [configPath(bind), configShow(bind), configValidate(bind)],
  });
}

function configPath(bind: Bind): Command {
  return define('path', {
    summary: 'Where the configuration file is',
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
    summary: 'The configuration in force: file, environment and defaults, secrets masked',
    examples: ['mcpproxy config show', 'mcpproxy config show -o yaml'],
    globals: [...LOCAL],
  }).action(
    bind(async (context) => {
      const shown = await context.runtime.config.show(context.place);
      // A configuration is a tree, not a table; people know it as JSON.
      await print(context, shown, () => `${safeJson(shown, 2)}\n`);
    }),
  );
}

function configValidate(bind: Bind): Command {
  return define('validate', {
    summary: 'Check a configuration file without using it',
    description:
      'Check a configuration file without using it. Ends with exit code 4 when the proxy would not start with it. Servers that cannot be used, variables that are not set here and keys without effect are warnings: the proxy starts, and all other servers serve.',
    examples: ['mcpproxy config validate', 'mcpproxy config validate ./mcp_config.json -o json'],
    globals: [...LOCAL],
  })
    .argument('[file]', 'default: the file that "config path" names')
    .action(
      bind(async (context, _, file) => {
        const result = await context.runtime.config.validate(context.place, file);
        const valid = result.problems.length === 0;
        await print(context, { ...result, valid }, () => verdict(result));
        return valid ? EXIT.ok : EXIT.config;
      }),
    );
}

function verdict({ file, problems, warnings }: Validation): string {
  const count = warnings.length === 1 ? '1 warning' : `${warnings.length} warnings`;
  const summary = `${file}: valid${warnings.length > 0 ? `, ${count}` : ''}`;
  const lines = [
    ...warnings.map((warning) => `warning: ${warning}`),
    ...(problems.length > 0 ? problems : [summary]),
  ];
  return lines.map((line) => `${visibleLine(line)}\n`).join('');
}
