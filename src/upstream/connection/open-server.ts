import type { Transport } from '@modelcontextprotocol/client';
import type { ServerConfig } from '../../contract/config.ts';
import { ProxyError } from '../../contract/errors.ts';
import type { ServerAuth } from '../auth/server-auth.ts';
import type { Bearer } from '../transport/bearer.ts';
import { connect, type Connection, type ConnectOptions } from './connect.ts';
import { httpParts, httpStatusOf, httpTransport, streamOpen } from '../transport/http-connect.ts';
import { LaneError } from '../transport/lane.ts';
import { StartTimeout } from './negotiate-stdio.ts';
import type { LogRing } from './log-ring.ts';
import { tooWide } from '../transport/http-faults.ts';
import { MAX_MESSAGE_BYTES, MAX_MESSAGE_DEPTH, type Unreadable } from '../../lib/rpc.ts';
import type { ResolvedServer } from './secrets.ts';
import type { Memory } from './server-memory.ts';
import { quotedOutput } from '../process/program.ts';
import type { SharedOptions, SharedTransport } from '../shared/shared-transport.ts';
import { StdioTransport, type StdioOptions } from '../transport/stdio-transport.ts';

export type OpenBuiltin = () => Promise<Transport> | Transport;

export interface OpenServer extends Connection {
  pid?: number | undefined;
}

const BUILTIN_TIMEOUT_MS = 20_000;
/** Of the time that a URL has for its first answer, `server/discover` gets this part; `initialize` gets the rest. */
const DISCOVER_SHARE = 1 / 3;

export interface OpenOptions extends Omit<ConnectOptions, 'timeoutMs' | 'http'> {
  /** The process was started a second time within one attempt. */
  onRestart(): void;
  bearer?: Bearer | undefined;
}

export interface Target {
  config: ServerConfig;
  builtin: OpenBuiltin | undefined;
  resolved: ResolvedServer;
  ring: LogRing;
  /** The names of variables that a program inherits beyond the usual ones. */
  inherit: readonly string[];
  /** The log-in to a URL; absent: it has none. */
  auth?: ServerAuth | undefined;
  /** Where several workers share the programs of servers. */
  share?: ShareProgram | undefined;
  /** The program is to be started again, also for the others. */
  isFresh?: boolean;
}

/** Reaches a program that is started once for all workers. */
export type ShareProgram = (options: SharedOptions) => SharedTransport;

export function openServer(target: Target, options: OpenOptions): Promise<OpenServer> {
  const { config, builtin } = target;
  if (builtin) return openBuiltin(builtin, options);
  return config.url === undefined ? openStdio(target, options) : openUrl(target, options);
}

/** Why a server cannot be used without a log-in says more than the error of the request that it rejected. */
async function openUrl({ config, resolved, auth }: Target, options: OpenOptions): Promise<OpenServer> {
  await auth?.load();
  try {
    return await openHttp(resolved, config.type, { ...options, bearer: auth });
  } catch (error) {
    throw auth?.failure ?? error;
  }
}

async function openBuiltin(open: OpenBuiltin, options: OpenOptions): Promise<OpenServer> {
  return connect(await open(), { ...options, timeoutMs: BUILTIN_TIMEOUT_MS });
}

async function openStdio(target: Target, options: OpenOptions): Promise<OpenServer> {
  let connection: Connection | undefined;
  const { resolved: server, ring } = target;
  const transport = transportFor(target, options, (id, fault, bytes) => {
    if (connection) failUnreadable(connection, id, unreadable(fault, bytes));
  });
  try {
    connection = await connect(transport, { ...options, timeoutMs: server.startMs });
  } catch (error) {
    const exited = transport.exitText !== '';
    const unknown = options.memory.era === undefined;
    // Some servers exit or hang on any request before the 2025 handshake, so the next start begins with that handshake.
    options.memory.era = unknown && (exited || error instanceof StartTimeout) ? 'legacy' : undefined;
    if (error instanceof StartTimeout)
      throw new StartTimeout(error.message + quotedOutput(ring.explanation()));
    if (!exited) throw error;
    if (!unknown || options.signal.aborted) throw new Error(transport.exitText, { cause: error });
    options.onRestart();
    return openStdio(target, options);
  }
  return Object.assign(connection, { pid: transport.pid });
}

/** A connection that clients share is one to the program that workers share. */
function transportFor(
  { resolved, ring, inherit, share, isFresh = false }: Target,
  { clients, capabilities }: OpenOptions,
  onUnreadable: NonNullable<StdioOptions['onUnreadable']>,
): StdioTransport | SharedTransport {
  const settings = { ...resolved, inherit, ring, onUnreadable };
  if (share && clients?.isShared === true) return share({ ...settings, capabilities, isFresh });
  return new StdioTransport(settings);
}

async function openHttp(
  server: ResolvedServer,
  type: ServerConfig['type'],
  options: OpenOptions,
): Promise<OpenServer> {
  const { memory } = options;
  const kind = kindOf(type, memory);
  const isProbe = kind === 'http' && memory.era === undefined;
  const probeMs = isProbe ? Math.ceil(server.startMs * DISCOVER_SHARE) : server.startMs;
  try {
    return await openKind(kind, server, { ...options, timeoutMs: probeMs });
  } catch (error) {
    const status = httpStatusOf(error);
    memory.era = undefined;
    memory.sse = false;
    if (isProbe && error instanceof StartTimeout && !options.signal.aborted)
      return openOlder(server, { ...options, timeoutMs: server.startMs - probeMs });
    if (kind === 'sse' || type !== undefined || !isNoPost(status)) throw error;
    // A server from before Streamable HTTP does not accept POST at this URL.
    const connection = await openKind('sse', server, { ...options, timeoutMs: server.startMs });
    memory.sse = true;
    return connection;
  }
}

function kindOf(type: ServerConfig['type'], memory: Memory): 'http' | 'sse' {
  return type === 'sse' || (type === undefined && memory.sse) ? 'sse' : 'http';
}

function isNoPost(status: number | undefined): boolean {
  return status === 404 || status === 405;
}

/** A server that leaves `server/discover` unanswered is reached by `initialize`, and is asked that first from then on. */
async function openOlder(server: ResolvedServer, options: TimedOptions): Promise<OpenServer> {
  const { memory } = options;
  memory.era = 'legacy';
  try {
    return await openKind('http', server, options);
  } catch (error) {
    memory.era = undefined;
    throw error;
  }
}

type TimedOptions = OpenOptions & { timeoutMs: number };

async function openKind(
  kind: 'http' | 'sse',
  server: ResolvedServer,
  options: TimedOptions,
): Promise<OpenServer> {
  const parts = await httpParts(server, options.bearer);
  try {
    const connection = await connect(httpTransport(parts, kind), { ...options, http: parts });
    await streamOpen(parts);
    return connection;
  } catch (error) {
    await parts.agent.destroy();
    throw error;
  }
}

/** An unreadable answer with an id fails only its call. Without an id, all open calls fail unless there is exactly one. */
function failUnreadable(connection: Connection, id: number | undefined, error: LaneError): void {
  const { lane } = connection;
  if (id !== undefined) lane.fail(id, error);
  else if (!lane.failOnly(error) && lane.size > 0) connection.drop(error.message);
}

function unreadable(fault: Unreadable, bytes: number): LaneError {
  if (fault === 'too_wide') return tooWide();
  if (fault === 'too_deep')
    return new LaneError(fault, `the answer is nested deeper than ${MAX_MESSAGE_DEPTH} levels`);
  return new LaneError(
    fault,
    `the answer has ${bytes} bytes or more, over the limit of ${MAX_MESSAGE_BYTES}`,
  );
}

const CODES: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused; is the server running?',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name could not be looked up',
  ECONNRESET: 'the connection was reset',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  UND_ERR_CONNECT_TIMEOUT: 'no connection within its connect_timeout',
  UND_ERR_HEADERS_TIMEOUT: 'no answer within 30 s',
};

/** Why a connection failed, by its cause rather than by the layer that noticed. */
export function describeError(error: unknown): string {
  if (error instanceof ProxyError) return error.message;
  const status = httpStatusOf(error);
  if (status === 401 || status === 403)
    return `the server rejects the credentials (HTTP ${status}); check its "headers" in the configuration`;
  const known = codesOf(error).find((code) => Object.hasOwn(CODES, code));
  if (known) return `${CODES[known]} (${known})`;
  if (!(error instanceof Error)) return String(error);
  return status === undefined ? error.message || error.name : `${error.message} (HTTP ${status})`;
}

/** The codes of an error and of everything that caused it. */
function codesOf(error: unknown, depth = 0): string[] {
  if (!(error instanceof Error) || depth > 5) return [];
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  const inner = error instanceof AggregateError ? error.errors.flatMap((one) => codesOf(one, depth + 1)) : [];
  return [...(typeof code === 'string' ? [code] : []), ...inner, ...codesOf(cause, depth + 1)];
}
