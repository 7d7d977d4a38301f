import type { Client } from '../../contract/routes/client.ts';
import type { JsonRoute, RouteInput, RouteOutput } from '../../contract/routes/api.ts';
import { ProxyError } from '../../contract/errors.ts';
import type { Output } from './output/style.ts';
import type { Io } from './io.ts';
import type { Connection, How, Place, Runtime } from './runtime.ts';
import { visibleLine, visibleText } from '../../lib/visible-text.ts';
import { safeJson, safeYaml } from './output/safe-json.ts';
import { styleFor, type Style } from './output/style.ts';

/** What a command handler needs: the program, the process and the global flags. */
export interface Context {
  runtime: Runtime;
  io: Io;
  place: Place;
  output: Output;
  style: Style;
  /** The words after "--": a program and its arguments. */
  program?: string[];
}

/** The command was ended from outside: Ctrl-C, a signal or a closed stdout. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly exitCode: number;

  constructor(exitCode: number) {
    super('interrupted');
    this.exitCode = exitCode;
  }
}

/** Time limits of a request to the proxy, and of the clean-up. */
const ANSWER_MS = 60_000;
const CLOSE_MS = 3_000;

export interface Reached {
  client: Client;
  embedded: boolean;
  signal: AbortSignal;
  /** Sends a request with a time limit. */
  request: <N extends JsonRoute>(name: N, input: RouteInput<N>, limitMs?: number) => Promise<RouteOutput<N>>;
}

/** Connects to the proxy, runs `work` and always disconnects. An interrupt ends it immediately. */
export async function withProxy<T>(
  context: Context,
  how: How,
  work: (reached: Reached) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const release = context.io.onInterrupt((exitCode) => stop.abort(new Interrupted(exitCode)));
  const aborted = new Promise<never>((_, reject) => {
    stop.signal.addEventListener('abort', () => reject(stop.signal.reason as Error), { once: true });
  });
  const connecting = context.runtime.connect(context.place, how, stop.signal);
  try {
    const connection = await Promise.race([connecting, aborted]);
    stop.signal.throwIfAborted();
    hintEmbedded(context, connection);
    warn(context, connection);
    return await Promise.race([work(reach(connection, stop.signal)), aborted]);
  } catch (error) {
    // Report the interrupt, not the error of the request that it aborted.
    throw stop.signal.aborted ? stop.signal.reason : error;
  } finally {
    // Also after an interrupt: an embedded proxy may have started child processes. The result is reported, not a failing close.
    await within(
      CLOSE_MS,
      connecting.then((connection) => connection.close()),
    ).catch(() => undefined);
    release();
  }
}

function reach({ client, embedded, where }: Connection, signal: AbortSignal): Reached {
  return {
    client,
    embedded,
    signal,
    async request(name, input, limitMs = ANSWER_MS) {
      const limit = AbortSignal.timeout(limitMs);
      try {
        return await client.request(name, input, AbortSignal.any([signal, limit]));
      } catch (error) {
        if (!limit.aborted || signal.aborted) throw error;
        throw new ProxyError(
          'NO_DAEMON',
          `mcpproxy (${where}) did not answer within ${Math.round(limitMs / 1000)}s`,
        ).withCause(error);
      }
    },
  };
}

function hintEmbedded({ io }: Context, { embedded }: Connection): void {
  if (embedded && io.terminal.err)
    io.err(`${styleFor(io, 'err').colors.dim('No daemon is running. The command runs in this process.')}\n`);
}

/** Printed to stderr in every output format, so that it is seen even when stdout is redirected. */
function warn({ io }: Context, { warning }: Connection): void {
  if (warning !== undefined)
    io.err(`${styleFor(io, 'err').colors.yellow('warning:')} ${visibleText(warning)}\n`);
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Prints the result to stdout: `human()` for people, the whole value as JSON or YAML for programs. */
export async function print(context: Context, value: unknown, human: () => string): Promise<void> {
  await context.io.out(await rendered(context.output, value, human));
}

async function rendered(output: Output, value: unknown, human: () => string): Promise<string> {
  if (output === 'table') return human();
  return output === 'json' ? `${safeJson(value, 2)}\n` : safeYaml(value);
}

/** Prints a line for people to stderr. Omitted for JSON and YAML output. */
export function hint({ io, output, place }: Context, line: string): void {
  if (output === 'table') io.err(`${styleFor(io, 'err').colors.dim(withPlace(place, line))}\n`);
}

/**
 * Adds the flags that chose the proxy to each command in a text, so that the printed command reaches the same proxy. The API key is left
 * out; `--url` too, where a command does not have it.
 */
export function withPlace({ config, dataDir, url }: Place, text: string): string {
  const flags = { '--config': config, '--data-dir': dataDir, '--url': url };
  return text.replace(COMMAND, (program: string, command: string) => {
    const given = Object.entries(flags).filter(([flag]) => flag !== '--url' || !LOCAL_COMMANDS.has(command));
    return (
      program +
      given.map(([flag, value]) => (value === undefined ? '' : `${flag} ${quoted(value)} `)).join('')
    );
  });
}

/** The name of the program where one of its commands follows. */
const COMMAND =
  /\bmcpproxy (?=(serve|stop|stdio|call|chat|tools|upstream|import|connect|disconnect|setup|activity|approvals|open|tokens|status|doctor|service|config \w+|db)\b)/g;
const LOCAL_COMMANDS = new Set([
  'serve',
  'stop',
  'db',
  'service',
  'config path',
  'config show',
  'config validate',
]);

function quoted(value: string): string {
  const shown = visibleLine(value);
  return /^[\w@%+=:,./~-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", "'\\''")}'`;
}
