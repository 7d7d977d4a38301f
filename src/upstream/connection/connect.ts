import {
  Client,
  SdkError,
  SdkErrorCode,
  StreamableHTTPClientTransport,
  type PriorDiscovery,
  type Transport,
} from '@modelcontextprotocol/client';
import { httpPort, type HttpParts } from '../transport/http-connect.ts';
import { HttpPort } from '../transport/http-port.ts';
import { Lane, LaneError, transportPort, type LaneClients } from '../transport/lane.ts';
import { handOver, negotiateStdio, StartTimeout, type Negotiated } from './negotiate-stdio.ts';
import { SseTransport } from '../transport/sse-transport.ts';
import { SKILLS_EXTENSION } from '../../contract/call.ts';
import type { JsonObject } from '../../json/index.ts';
import { MODERN, type Memory } from './server-memory.ts';

export interface Connection {
  lane: Lane;
  protocol: string;
  modern: boolean;
  http: boolean;
  hasTools: boolean;
  /** The kinds of things that the server declares: tools, prompts, resources, … */
  offers: string[];
  serverInfo: { name: string; version: string } | undefined;
  /** The server's instructions for the model. Never passed on. */
  instructions: string | undefined;
  /** Resolves with the reason when the connection has ended. */
  closed: Promise<string>;
  /** Opens the stream of updates of these resources; only a server of 2026-07-28 has one. */
  listenTo(uris: string[]): Promise<{ close(): Promise<void> }>;
  drop(reason: string): void;
  /** Resolves when everything that belongs to the connection has ended. */
  close(): Promise<void>;
}

/** To a program that several processes use: one of them makes the handshake. */
export interface JoinableTransport extends Transport {
  /** The result of the handshake; undefined: it has to be made, and told. */
  join(limitMs: number): Promise<Negotiated | undefined>;
  opened(result: Negotiated): void;
}

export interface ConnectOptions {
  memory: Memory;
  clientInfo: { name: string; version: string };
  timeoutMs: number;
  /** How long a stdio server may stay silent before `initialize` is sent as well. */
  patienceMs?: number | undefined;
  signal: AbortSignal;
  /** For a server that is reached over HTTP. */
  http?: HttpParts | undefined;
  /** What a server of the older revisions may ask of clients on this connection; absent: nothing. */
  capabilities?: JsonObject | undefined;
  clients?: LaneClients | undefined;
  /** Called at most once per announcement; the caller reads the list again. */
  onToolsChanged(): void;
  /** A resource that was subscribed to has changed. */
  onResourceUpdated?: ((uri: string) => void) | undefined;
}

const PATIENCE_MS = 10_000;
const ENVELOPE = {
  version: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
} as const;

/**
 * The MCP handshake on a transport, in the protocol era of the server. What the server asks of clients (sampling, elicitation, roots) is
 * answered by the lane; the SDK answers every other request with "method not found".
 */
export async function connect(transport: Transport, options: ConnectOptions): Promise<Connection> {
  const { memory, clientInfo, timeoutMs, signal } = options;
  const client = new Client(clientInfo, {
    capabilities: options.capabilities ?? {},
    versionNegotiation: negotiation(memory, transport, timeoutMs),
  });
  for (const list of ['tools', 'prompts', 'resources'] as const)
    client.setNotificationHandler(`notifications/${list}/list_changed`, () => options.onToolsChanged());
  client.setNotificationHandler('notifications/resources/updated', ({ params }) =>
    options.onResourceUpdated?.(params.uri),
  );
  // Aborted: the error of the connection attempt is reported, not that of closing it.
  const stop = (): void => void transport.close().catch(() => undefined);
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    const prior = 'pid' in transport ? await openPipe(transport, options) : undefined;
    await client.connect(transport, { timeout: timeoutMs, ...(prior && { prior }) });
  } catch (error) {
    // The error of the connection attempt is reported, not that of closing it.
    await transport.close().catch(() => undefined);
    throw explainTimeout(error, timeoutMs);
  } finally {
    signal.removeEventListener('abort', stop);
  }
  memory.era = client.getProtocolEra() === 'modern' ? MODERN : 'legacy';
  return wire(client, transport, options);
}

/** The SDK's own error names neither the request nor the limit. */
function explainTimeout(error: unknown, timeoutMs: number): unknown {
  if (!(error instanceof SdkError) || error.code !== SdkErrorCode.RequestTimeout) return error;
  const advice = 'does it speak MCP, and does it start without asking anything?';
  return new StartTimeout(`no answer to the handshake within ${timeoutMs} ms; ${advice}`, { cause: error });
}

function negotiation({ era }: Memory, transport: Transport, timeoutMs: number) {
  if (era === 'legacy' || transport instanceof SseTransport) return { mode: 'legacy' as const };
  if (era !== undefined) return { mode: { pin: era } };
  return { mode: 'auto' as const, probe: { timeoutMs } };
}

/** For stdio the proxy negotiates itself: the SDK gives up its first request before a slow server has started. */
async function openPipe(transport: Transport, options: ConnectOptions): Promise<PriorDiscovery> {
  const { memory, clientInfo, timeoutMs, patienceMs = PATIENCE_MS } = options;
  const envelope = envelopeOf(MODERN, clientInfo);
  const shared = 'join' in transport ? (transport as JoinableTransport) : undefined;
  let negotiated = await shared?.join(timeoutMs);
  if (!negotiated) {
    negotiated = await negotiateStdio(transport, {
      era: memory.era,
      clientInfo,
      capabilities: options.capabilities ?? {},
      envelope,
      limitMs: timeoutMs,
      patienceMs,
    });
    shared?.opened(negotiated);
  }
  handOver(transport, negotiated);
  return 'discover' in negotiated ? { kind: 'modern', discover: negotiated.discover } : { kind: 'legacy' };
}

function envelopeOf(protocol: string, clientInfo: ConnectOptions['clientInfo']): JsonObject {
  return {
    [ENVELOPE.version]: protocol,
    [ENVELOPE.clientInfo]: clientInfo,
    [ENVELOPE.clientCapabilities]: {},
  };
}

/** Puts the lane between the transport and the SDK client, and makes the connection that the rest of the program uses. */
function wire(client: Client, transport: Transport, options: ConnectOptions): Connection {
  const { http } = options;
  const protocol = client.getNegotiatedProtocolVersion() ?? 'unknown';
  const modern = client.getProtocolEra() === 'modern';
  const envelope = modern ? envelopeOf(protocol, options.clientInfo) : undefined;
  let gone!: (reason: string) => void;
  const closed = new Promise<string>((done) => (gone = done));
  const streamable = http && transport instanceof StreamableHTTPClientTransport ? transport : undefined;
  const port = streamable
    ? httpPort(streamable, http!, {
        modern,
        inbound: (message, related) => receive(message, related),
        fail: (id, error) => lane.fail(id, error),
        lost: gone,
      })
    : transportPort(transport);
  const lane = new Lane(port, envelope, options.clients);
  const receive = lane.attach(transport);
  const clientClosed = transport.onclose;
  const onclose = (): void => {
    clientClosed?.();
    const reason = exitText(transport);
    lane.close(new LaneError('lost', reason));
    gone(reason);
  };
  Object.assign(transport, { onclose });
  if (modern) void listen(client, closed, options);
  return {
    lane,
    protocol,
    modern,
    http: streamable !== undefined,
    hasTools: client.getServerCapabilities()?.tools !== undefined,
    offers: offersOf(client),
    serverInfo: client.getServerVersion(),
    instructions: client.getInstructions(),
    closed,
    listenTo: (uris) => client.listen({ resourceSubscriptions: uris }, { timeout: options.timeoutMs }),
    drop: gone,
    close: async () => {
      if (port instanceof HttpPort) port.close();
      if (streamable?.sessionId) await within(streamable.terminateSession(), 1000);
      await transport.close();
      lane.close(new LaneError('lost', 'the connection was closed'));
      gone('the connection was closed');
      await http?.agent.destroy();
    },
  };
}

function offersOf(client: Client): string[] {
  const capabilities = client.getServerCapabilities() ?? {};
  return [...Object.keys(capabilities), ...(capabilities.extensions?.[SKILLS_EXTENSION] ? ['skills'] : [])];
}

/** The lists whose changes the server announces. */
function announcedLists(client: Client) {
  const { tools, prompts, resources } = client.getServerCapabilities() ?? {};
  return {
    ...(tools?.listChanged && { toolsListChanged: true }),
    ...(prompts?.listChanged && { promptsListChanged: true }),
    ...(resources?.listChanged && { resourcesListChanged: true }),
  };
}

/** In the 2026-07-28 revision a server announces changes on a stream that the client opens. A broken stream is opened again. */
async function listen(client: Client, closed: Promise<string>, options: ConnectOptions): Promise<void> {
  const filter = announcedLists(client);
  if (Object.keys(filter).length === 0) return;
  const ended = closed.then(() => 'ended' as const);
  for (let pause = 1000; ; pause = Math.min(2 * pause, 60_000)) {
    try {
      const subscription = await client.listen(filter, { timeout: options.timeoutMs });
      if ((await Promise.race([subscription.closed, ended])) === 'ended') return;
      // The list may have changed while the stream was down.
      options.onToolsChanged();
    } catch {
      // Without the stream the periodic refresh still finds changes.
    }
    const rested = new Promise<'rested'>((done) => void setTimeout(done, pause, 'rested').unref());
    if ((await Promise.race([ended, rested])) === 'ended') return;
  }
}

function exitText(transport: Transport): string {
  const text = 'exitText' in transport ? transport.exitText : '';
  return typeof text === 'string' && text !== '' ? text : 'the connection was closed';
}

async function within(work: Promise<unknown>, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((done) => (timer = setTimeout(done, limitMs)));
  await Promise.race([work.catch(() => undefined), late]).finally(() => clearTimeout(timer));
}
