import type { Argument, Command, Option } from 'commander';
import { EXIT } from '../src/contract/errors.ts';
import { examplesOf, GLOBAL_HEADING } from '../src/doors/cli/define.ts';

const EXIT_SAYS: Record<keyof typeof EXIT, string> = {
  ok: 'done',
  general: 'something went wrong; also a tool that ran and reported an error',
  usage: 'the command line or the request is wrong',
  refused: 'refused by policy, before anything was called',
  config: 'the configuration is invalid',
  portInUse: 'the address is in use',
  dataDirInUse: 'the data directory is in use by another mcpproxy',
  noDaemon: 'no daemon answers',
};

/** The page docs/reference/cli.md, made from the command tree. */
export function referencePage(program: Command): string {
  return [
    '# Command line',
    '<!-- Made from the command tree by `npm run docs`; edit the commands instead. -->',
    program.description(),
    INTRODUCTION,
    '## Global options',
    'They may stand before or after the command. A flag beats the environment, which beats the configuration file.',
    optionTable(program.options),
    '## Exit codes',
    exitTable(),
    ...program.commands.flatMap((command) => section(command, 2)),
  ]
    .join('\n\n')
    .concat('\n');
}

const INTRODUCTION = `Results go to stdout, everything else to stderr. \`-o json\` and \`-o yaml\` print the whole answer of the REST API; an error is then JSON on
stderr. Colours and icons appear on a terminal only, and \`NO_COLOR\` and \`FORCE_COLOR\` are honoured. Control characters in text from
servers are shown as escapes, never printed. \`call\`, \`tools\`, \`activity\` and most of \`upstream\` work without a running daemon too: the
same checks then run in the command's own process.`;

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
    ([name, code]) => `| ${code} | ${EXIT_SAYS[name as keyof typeof EXIT]} |`,
  );
  return ['| code | meaning |', '|---|---|', ...rows, '| 130 | ended by Ctrl-C |'].join('\n');
}
