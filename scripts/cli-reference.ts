import type { Argument, Command, Option } from 'commander';
import { EXIT } from '../src/contract/errors.ts';
import { examplesOf, GLOBAL_HEADING } from '../src/doors/cli/define.ts';

const EXIT_MEANINGS: Record<keyof typeof EXIT, string> = {
  ok: 'success',
  general: 'general error, or the tool returned an error',
  usage: 'invalid command line or request',
  refused: 'refused by policy before the tool was called',
  config: 'invalid configuration',
  portInUse: 'the address is already in use',
  dataDirInUse: 'another mcpproxy uses the data directory',
  noDaemon: 'no daemon is running, or it cannot be reached',
  unverifiable: 'the log cannot be verified (`activity verify`, `activity audit`)',
  serverFailed: 'the server that was added, changed or tested failed',
};

/** The page docs/reference/cli.md, generated from the command tree. */
export function referencePage(program: Command): string {
  return [
    '# Command line',
    '<!-- Generated from the command tree by `npm run docs`. Edit the commands instead. -->',
    program.description(),
    INTRODUCTION,
    '## Global options',
    'Global options can be given before or after the command. A flag overrides the environment, which overrides the configuration file.',
    optionTable(program.options),
    '## Exit codes',
    exitTable(),
    ...program.commands.flatMap((command) => section(command, 2)),
  ]
    .join('\n\n')
    .concat('\n');
}

const INTRODUCTION = `Results go to stdout, everything else to stderr. \`-o json\` and \`-o yaml\` print the full response of the REST API; with \`-o json\` errors are
JSON on stderr. Colors and icons appear only on a terminal; \`NO_COLOR\` and \`FORCE_COLOR\` are supported. Control characters in text from
servers are printed as escapes. \`call\`, \`tools\`, \`activity\` and most \`upstream\` commands also work without a running daemon: the command
then runs the proxy in its own process, with the same checks. Commands that only read the log read its files and change nothing.`;

function section(command: Command, level: number): string[] {
  const path = pathOf(command);
  const own = command.options.filter((option) => option.helpGroupHeading !== GLOBAL_HEADING);
  const missing = missingGlobals(command);
  return [
    `${'#'.repeat(level)} ${path}`,
    command.description(),
    ...(command.commands.length > 0 ? [] : [fence(`${path} ${command.usage()}`)]),
    ...(command.registeredArguments.length > 0 ? [argumentTable(command.registeredArguments)] : []),
    ...(own.length > 0 ? [optionTable(own)] : []),
    ...(missing.length > 0 && command.commands.length === 0
      ? [`Not available for this command: ${missing.map((flag) => `\`${flag}\``).join(', ')}.`]
      : []),
    ...(command.commands.length > 0 ? [] : [`Examples:`, fence(examplesOf(command).join('\n'))]),
    ...command.commands.flatMap((subcommand) => section(subcommand, level + 1)),
  ];
}

/** Global flags that this command does not take. */
function missingGlobals(command: Command): string[] {
  let root = command;
  while (root.parent) root = root.parent;
  const here = new Set(command.options.map((option) => option.long));
  const globals = root.options.filter((option) => option.helpGroupHeading === GLOBAL_HEADING);
  return globals.flatMap(({ long }) => (long && !here.has(long) ? [long] : []));
}

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

function fence(text: string): string {
  return `\`\`\`bash\n${text}\n\`\`\``;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

function withChoices(description: string, choices: readonly string[] | undefined): string {
  return cell(choices ? `${description}: ${choices.map((value) => `\`${value}\``).join(', ')}` : description);
}

function argumentTable(list: readonly Argument[]): string {
  const rows = list.map(
    (argument) => `| \`${argument.name()}\` | ${withChoices(argument.description, argument.argChoices)} |`,
  );
  return ['| argument | meaning |', '|---|---|', ...rows].join('\n');
}

function optionTable(list: readonly Option[]): string {
  const rows = list.map(
    (option) => `| \`${cell(option.flags)}\` | ${withChoices(option.description, option.argChoices)} |`,
  );
  return ['| option | meaning |', '|---|---|', ...rows].join('\n');
}

function exitTable(): string {
  const rows = Object.entries(EXIT).map(
    ([name, code]) => `| ${code} | ${EXIT_MEANINGS[name as keyof typeof EXIT]} |`,
  );
  return ['| code | meaning |', '|---|---|', ...rows, '| 130 | interrupted with Ctrl-C |'].join('\n');
}
