import { issueText } from '../../contract/issue-text.ts';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { z } from 'zod';
import type { Context } from './context.ts';
import { OUTPUTS } from './output/style.ts';

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

/** A flag that is validated by the schema of its REST parameter. */
export function checked(flags: string, description: string, schema: z.ZodType): Option {
  return new Option(flags, description).argParser((text: string) => {
    const parsed = schema.safeParse(text);
    if (!parsed.success) throw new InvalidArgumentError(issueText(parsed.error.issues[0]!, schema));
    return parsed.data;
  });
}

/** A flag that can be given several times. */
export function repeated(flags: string, description: string): Option {
  return new Option(flags, description).argParser((text: string, before: string[] | undefined) => [
    ...(before ?? []),
    text,
  ]);
}
