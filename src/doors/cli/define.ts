import { Command, CommanderError, Option } from 'commander';
import type { z } from 'zod';
import type { Context } from './context.ts';
import type * as SchemaFile from './schemas.ts';
import { OUTPUTS } from './output/style.ts';

/** Loaded when a flag is given that needs one of them. */
type Schemas = typeof SchemaFile;

/** Runs a command; returns the exit code if it is not 0. `options` are the command's own flags as commander parsed them. */
type Handler<O> = (context: Context, options: O, ...args: string[]) => Promise<number | void>;

/** Connects a handler to the running process. The reference page and the completion scripts use the command tree without it. */
export type Bind = <O>(handler: Handler<O>) => (...actionArgs: unknown[]) => Promise<void>;

/** The parts of a command that commander cannot store. */
interface Definition {
  summary: string;
  /** The long help text; the summary if absent. */
  description?: string;
  examples: string[];
  /** The global flags that apply to this command (default: all). */
  globals?: GlobalName[];
  subcommands?: Command[];
}

export const GLOBAL_HEADING = 'Global options:';

const GLOBAL_OPTIONS = {
  output: () =>
    choice('-o, --output <format>', 'output format (default: table; env: MCPPROXY_OUTPUT)', OUTPUTS),
  config: () => new Option('--config <file>', 'configuration file (env: MCPPROXY_CONFIG)'),
  dataDir: () =>
    new Option('--data-dir <dir>', 'data directory (default: ~/.mcpproxy; env: MCPPROXY_DATA_DIR)'),
  url: () => new Option('--url <url>', 'address of a running daemon, for example http://127.0.0.1:8080'),
  apiKey: () =>
    new Option(
      '--api-key <key>',
      'API key (visible in the process list: prefer MCPPROXY_API_KEY or the key file)',
    ),
} as const;
export type GlobalName = keyof typeof GLOBAL_OPTIONS;

/** A word that follows one of these is its value. */
export const GLOBALS_WITH_VALUE: ReadonlySet<string> = new Set([
  '-o',
  '--output',
  '--config',
  '--data-dir',
  '--url',
  '--api-key',
]);

const definitions = new WeakMap<Command, Definition>();

export function define(name: string, definition: Definition): Command {
  const command = new Command(name)
    .summary(definition.summary)
    .description(definition.description ?? definition.summary);
  command.helpCommand(false).helpOption('-h, --help', 'show help').showSuggestionAfterError(true);
  command.addHelpText('after', `\nExamples:\n${definition.examples.map((line) => `  ${line}`).join('\n')}`);
  definitions.set(command, definition);
  for (const subcommand of definition.subcommands ?? []) command.addCommand(subcommand);
  // A flag belongs to the command before it, so that a command can have a flag with the name of a global one (`upstream add --url`).
  if (definition.subcommands) command.enablePositionalOptions();
  return command;
}

export function examplesOf(command: Command): string[] {
  return definitions.get(command)?.examples ?? [];
}

/** Global flags work before and after the command. A command's own flag of the same name takes precedence. */
export function addGlobals(command: Command): void {
  const taken = command.options.flatMap((option) => [option.short, option.long]);
  for (const name of definitions.get(command)?.globals ?? (Object.keys(GLOBAL_OPTIONS) as GlobalName[])) {
    const option = GLOBAL_OPTIONS[name]().helpGroup(GLOBAL_HEADING);
    // A group accepts them, but its help lists only its commands.
    if (!taken.includes(option.long))
      command.addOption(command.parent && command.commands.length > 0 ? option.hideHelp() : option);
  }
  for (const subcommand of command.commands) addGlobals(subcommand);
}

/** The value of a global flag: the last one on the command line wins over those before the command. */
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

/** The command's own flags without the global ones. */
export function ownValues(command: Command): Record<string, unknown> {
  const own = command.options.filter((option) => option.helpGroupHeading !== GLOBAL_HEADING);
  const values = own.map((option) => [
    option.attributeName(),
    command.getOptionValue(option.attributeName()),
  ]);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/** A flag with fixed values, taken from the schema of the REST route. */
export function choice(flags: string, description: string, values: readonly string[]): Option {
  return new Option(flags, description).choices(values);
}

type Choose = (schemas: Schemas) => z.ZodType;
const schemaOf = new WeakMap<Option, Choose>();

/** A flag that is validated by the schema of its REST parameter, which is loaded when the flag is given. */
export function checked(flags: string, description: string, choose: Choose): Option {
  const option = new Option(flags, description);
  schemaOf.set(option, choose);
  return option;
}

/** Validates the flags of a parsed command and replaces their values by the parsed ones. */
export async function checkFlags(command: Command): Promise<void> {
  for (const option of command.options) {
    const name = option.attributeName();
    const text: unknown = command.getOptionValue(name);
    const choose = schemaOf.get(option);
    if (!choose || typeof text !== 'string') continue;
    const schemas = await import('./schemas.ts');
    const schema = choose(schemas);
    const parsed = schema.safeParse(text);
    if (!parsed.success) {
      const problem = schemas.issueText(parsed.error.issues[0]!, schema);
      throw new CommanderError(
        1,
        'commander.invalidArgument',
        `error: option '${option.flags}' argument '${text}' is invalid. ${problem}`,
      );
    }
    command.setOptionValue(name, parsed.data);
  }
}

/** A flag that can be given several times. */
export function repeated(flags: string, description: string): Option {
  return new Option(flags, description).argParser((text: string, before: string[] | undefined) => [
    ...(before ?? []),
    text,
  ]);
}
