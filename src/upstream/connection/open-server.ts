import type { Transport } from '@modelcontextprotocol/client';
import type { ServerConfig } from '../../contract/config.ts';
import { connect, type Connection, type ConnectOptions } from './connect.ts';
import { httpParts, httpStatusOf, httpTransport } from '../transport/http-connect.ts';
import { LaneError } from '../transport/lane.ts';
import { StartTimeout } from './negotiate-stdio.ts';
import type { LogRing } from './log-ring.ts';
import { tooWide } from '../transport/http-faults.ts';
import { MAX_MESSAGE_BYTES, MAX_MESSAGE_DEPTH, type Unreadable } from '../../lib/rpc.ts';
import type { ResolvedServer } from './secrets.ts';
import { StdioTransport } from '../transport/stdio-transport.ts';

export type OpenBuiltin = () => Promise<Transport> | Transport;

export interface OpenServer extends Connection {
  pid?: number | undefined;
}

const HTTP_TIMEOUT_MS = 20_000;

export interface OpenOptions extends Omit<ConnectOptions, 'timeoutMs'> {
  /** A process was started once more within one attempt. */
  startedAgain(): void;
}

export interface Target {
  config: ServerConfig;
  builtin: OpenBuiltin | undefined;
  resolved: ResolvedServer;
  ring: LogRing;
}

export function openServer(
  { config, builtin, resolved, ring }: Target,
  options: OpenOptions,
): Promise<OpenServer> {
  if (builtin) return openBuiltin(builtin, options);
  return config.url === undefined
    ? openStdio(resolved, ring, options)
    : openHttp(resolved, config.type, options);
}

async function openBuiltin(open: OpenBuiltin, options: OpenOptions): Promise<OpenServer> {
  return connect(await open(), { ...options, timeoutMs: HTTP_TIMEOUT_MS });
}

async function openStdio(server: ResolvedServer, ring: LogRing, options: OpenOptions): Promise<OpenServer> {
  let connection: Connection | undefined;
  const transport = new StdioTransport({
    ...server,
    ring,
    onUnreadable: (id, fault, bytes) =>
      connection && failUnreadable(connection, id, unreadable(fault, bytes)),
  });
  try {
    connection = await connect(transport, { ...options, timeoutMs: server.connectMs });
  } catch (error) {
    const exited = transport.exitText !== '';
    const unknown = options.memory.era === undefined;
    // Some servers end, or fall silent for good, when they are asked anything before the 2025 handshake: the next start begins with that.
    options.memory.era = unknown && (exited || error instanceof StartTimeout) ? 'legacy' : undefined;
    if (!exited) throw error;
    if (!unknown || options.signal.aborted) throw new Error(transport.exitText, { cause: error });
    options.startedAgain();
    return openStdio(server, ring, options);
  }
  return Object.assign(connection, { pid: transport.pid });
}

async function openHttp(
  server: ResolvedServer,
  type: ServerConfig['type'],
  options: OpenOptions,
): Promise<OpenServer> {
  const { memory } = options;
  const kind = type === 'sse' || (type === undefined && memory.sse) ? 'sse' : 'http';
  try {
    return await openKind(kind, server, options);
  } catch (error) {
    const status = httpStatusOf(error);
    memory.era = undefined;
    memory.sse = false;
    if (kind === 'sse' || type !== undefined || (status !== 404 && status !== 405)) throw error;
    // A server from before Streamable HTTP does not know POST here.
    const connection = await openKind('sse', server, options);
    memory.sse = true;
    return connection;
  }
}

async function openKind(
  kind: 'http' | 'sse',
  server: ResolvedServer,
  options: OpenOptions,
): Promise<OpenServer> {
  const parts = await httpParts(server);
  try {
    return await connect(httpTransport(parts, kind), { ...options, timeoutMs: HTTP_TIMEOUT_MS }, parts);
  } catch (error) {
    await parts.agent.destroy();
    throw error;
  }
}

/** An answer that says whose it is fails that call alone. One that does not leaves no way to tell, unless a single call is open. */
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
