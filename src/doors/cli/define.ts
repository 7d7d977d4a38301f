import { issueText } from '../../contract/issue-text.ts';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { z } from 'zod';
import type { Context } from './context.ts';
import { OUTPUTS } from './output/style.ts';

/** What a command does; gives the exit code where it is not 0. `options` are the command's own flags as commander parsed them. */
type Handler<O> = (context: Context, options: O, ...args: string[]) => Promise<number | void>;

/** Ties a handler to the running process. The reference page and the completion scripts are made from the tree without it. */
export type Bind = <O>(handler: Handler<O>) => (...actionArgs: unknown[]) => Promise<void>;

/** A command as data: commander holds its flags, this holds what commander has no place for. */
interface Definition {
  summary: string;
  /** More than the summary, where it takes more. */
  description?: string;
  examples: string[];
  /** Which global flags mean something here; all of them unless said. */
  globals?: GlobalName[];
  subcommands?: Command[];
}

export const GLOBAL_HEADING = 'Global options:';

const GLOBAL_OPTIONS = {
  output: () =>
    choice(
      '-o, --output <format>',
      'how results are printed (default: table; env: MCPPROXY_OUTPUT)',
      OUTPUTS,
    ),
  config: () => new Option('--config <file>', 'configuration file (env: MCPPROXY_CONFIG)'),
  dataDir: () =>
    new Option('--data-dir <dir>', 'data directory (default: ~/.mcpproxy; env: MCPPROXY_DATA_DIR)'),
  url: () => new Option('--url <url>', 'address of a running daemon, as in http://127.0.0.1:8080'),
  apiKey: () =>
    new Option(
      '--api-key <key>',
      'discouraged, as the process list shows it: use MCPPROXY_API_KEY or the key file',
    ),
} as const;
export type GlobalName = keyof typeof GLOBAL_OPTIONS;

const definitions = new WeakMap<Command, Definition>();

export function define(name: string, definition: Definition): Command {
  const command = new Command(name)
    .summary(definition.summary)
    .description(definition.description ?? definition.summary);
  command.helpCommand(false).helpOption('-h, --help', 'show this help').showSuggestionAfterError(true);
  command.addHelpText('after', `\nExamples:\n${definition.examples.map((line) => `  ${line}`).join('\n')}`);
  definitions.set(command, definition);
  for (const subcommand of definition.subcommands ?? []) command.addCommand(subcommand);
  // Flags belong to the command they follow, so that a command may have one of a global flag's name (`upstream add --url`).
  if (definition.subcommands) command.enablePositionalOptions();
  return command;
}

export function examplesOf(command: Command): string[] {
  return definitions.get(command)?.examples ?? [];
}

/** Global flags work in every place: before the command and after it. The command's own flags of the same name win there. */
export function addGlobals(command: Command): void {
  const taken = command.options.flatMap((option) => [option.short, option.long]);
  for (const name of definitions.get(command)?.globals ?? (Object.keys(GLOBAL_OPTIONS) as GlobalName[])) {
    const option = GLOBAL_OPTIONS[name]().helpGroup(GLOBAL_HEADING);
    // A group takes them, but its help is about its commands.
    if (!taken.includes(option.long))
      command.addOption(command.parent && command.commands.length > 0 ? option.hideHelp() : option);
  }
  for (const subcommand of command.commands) addGlobals(subcommand);
}

/** The value of a global flag: the one nearest to the command's own arguments. */
export function globalValue(command: Command, name: GlobalName): string | undefined {
  for (let at: Command | null = command; at; at = at.parent) {
    const option = at.options.find(
      (option) => option.attributeName() === name && option.helpGroupHeading === GLOBAL_HEADING,
    );
    const value: unknown = option && at.getOptionValue(name);
    if (typeof value === 'string') return value;
  }
  return undefined;
}

/** The command's own flags alone: a handler may hand them on as they are. */
export function ownValues(command: Command): Record<string, unknown> {
  const own = command.options.filter((option) => option.helpGroupHeading !== GLOBAL_HEADING);
  const values = own.map((option) => [
    option.attributeName(),
    command.getOptionValue(option.attributeName()),
  ]);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/** A flag with fixed values, taken from the schema that the server validates with. */
export function choice(flags: string, description: string, values: readonly string[]): Option {
  return new Option(flags, description).choices(values);
}

/** A flag that the schema of its REST parameter checks. */
export function checked(flags: string, description: string, schema: z.ZodType): Option {
  return new Option(flags, description).argParser((text: string) => {
    const parsed = schema.safeParse(text);
    if (!parsed.success) throw new InvalidArgumentError(issueText(parsed.error.issues[0]!, schema));
    return parsed.data;
  });
}

/** A flag that may be given several times. */
export function repeated(flags: string, description: string): Option {
  return new Option(flags, description).argParser((text: string, before: string[] | undefined) => [
    ...(before ?? []),
    text,
  ]);
}
