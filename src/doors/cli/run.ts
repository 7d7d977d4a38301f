import { CommanderError, type Command } from 'commander';
import { EXIT, ProxyError } from '../../contract/errors.ts';
import { Interrupted, type Context } from './context.ts';
import { checkFlags, globalValue, ownValues, type Bind } from './define.ts';
import { OUTPUTS, type Output } from './output/style.ts';
import { reportError } from './fail.ts';
import type { Io } from './io.ts';
import { buildProgram } from './program.ts';
import type { Place, Runtime } from './runtime.ts';
import { styleFor } from './output/style.ts';

/** Runs one command line (argv without node and script) and returns the exit code. Never throws. */
export async function run(argv: string[], runtime: Runtime, io: Io): Promise<number> {
  let exitCode: number = EXIT.ok;
  let place: Place | undefined;
  const bind: Bind =
    (handler) =>
    async (...actionArgs) => {
      const command = actionArgs.pop() as Command;
      actionArgs.pop(); // all flags, the global ones among them
      await checkFlags(command);
      const options = ownValues(command) as Parameters<typeof handler>[1];
      const context = { ...contextOf(command, runtime, io), ...afterDashes(argv) };
      ({ place } = context);
      exitCode = (await handler(context, options, ...(actionArgs as string[]))) ?? EXIT.ok;
    };
  const program = await buildProgram(bind, runtime.version, argv);
  const help: string[] = [];
  captureHelp(program, (text) => void help.push(text));
  try {
    await program.parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof Interrupted) return error.exitCode;
    if (error instanceof CommanderError && error.exitCode === 0) {
      await io.out(help.join(''));
      return EXIT.ok;
    }
    // A command group without a command: its help shows what is missing.
    io.err(help.join(''));
    return reportError(io, error, { asJson: wantsJson(argv, io.env), place, argv });
  }
}

/** Collects help texts, and suppresses commander's error output: `reportError` replaces it. */
function captureHelp(command: Command, help: (text: string) => void): void {
  command.exitOverride();
  command.configureOutput({ writeOut: help, writeErr: help, outputError: () => undefined });
  for (const subcommand of command.commands) captureHelp(subcommand, help);
}

function contextOf(command: Command, runtime: Runtime, io: Io): Context {
  return { runtime, io, place: placeOf(command), output: outputOf(command, io.env), style: styleFor(io) };
}

/** The parser does not tell the words after "--" from those before it. */
function afterDashes(argv: string[]): Pick<Context, 'program'> {
  const at = argv.indexOf('--');
  return at === -1 ? {} : { program: argv.slice(at + 1) };
}

function placeOf(command: Command): Place {
  const [config, dataDir, url, apiKey] = (['config', 'dataDir', 'url', 'apiKey'] as const).map((name) =>
    globalValue(command, name),
  );
  if (url !== undefined && !/^https?:\/\/[^/]/.test(url)) {
    throw new ProxyError('USAGE', `--url must start with http:// or https://, got '${url}'`);
  }
  return {
    ...(config && { config }),
    ...(dataDir && { dataDir }),
    ...(url && { url }),
    ...(apiKey && { apiKey }),
  };
}

function outputOf(command: Command, env: Io['env']): Output {
  const wanted = globalValue(command, 'output') ?? (env.MCPPROXY_OUTPUT || 'table');
  const output = OUTPUTS.find((known) => known === wanted);
  if (!output)
    throw new ProxyError('USAGE', `MCPPROXY_OUTPUT must be one of ${OUTPUTS.join(', ')}, got '${wanted}'`);
  return output;
}

/** Checked without the parser, because parsing may be what failed. */
function wantsJson(argv: string[], env: Io['env']): boolean {
  const end = argv.indexOf('--');
  const own = (end < 0 ? argv : argv.slice(0, end)).join('\n');
  const last = [...own.matchAll(/(?:^|\n)(?:-o\n?|--output[\n=])([a-z]+)(?=\n|$)/g)].at(-1)?.[1];
  return (last ?? env.MCPPROXY_OUTPUT) === 'json';
}
