import { setTimeout as sleep } from 'node:timers/promises';
import { StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import type { Dispatcher } from 'undici';
import { withBearer, type Bearer } from './bearer.ts';
import { HttpPort } from './http-port.ts';
import type { LaneError } from './lane.ts';
import { outboundProxy } from './outbound-proxy.ts';
import { createLightFetch, type FetchLike } from './light-fetch.ts';
import { type RpcMessage } from '../../lib/rpc.ts';
import { SseTransport } from './sse-transport.ts';
import type { ResolvedServer } from '../connection/secrets.ts';
import { isObject } from '../../json/index.ts';

export interface HttpParts {
  url: URL;
  headers: Record<string, string>;
  agent: Dispatcher;
  connectMs: number;
  idleMs: number;
  /** The token of a log-in; absent: the server has none. */
  bearer?: Bearer | undefined;
  /** Set once the stream for messages of the server is asked for; resolves when the server has answered. */
  stream?: Promise<void>;
}

/** A server that does not answer the request for a stream is used without one. */
const STREAM_MS = 1_000;

/** undici is loaded only when needed: it is a tenth of all code, and many proxies have local programs only. */
export async function httpParts(server: ResolvedServer, bearer?: Bearer): Promise<HttpParts> {
  const { headers, connectMs, idleMs } = server;
  const url = new URL(server.url);
  const agent = await createAgent(url, connectMs);
  return { url, headers: lowerCase(headers), agent, connectMs, idleMs, bearer };
}

/** An agent serves one origin, because no redirect to another is followed: whether it uses a proxy is decided once. */
async function createAgent(url: URL, connectMs: number): Promise<Dispatcher> {
  const proxy = outboundProxy(url);
  const { Agent, ProxyAgent } = (await import('undici')).default;
  const limits = { pipelining: 1, maxHeaderSize: 64 * 1024 };
  const connect = { timeout: connectMs };
  if (!proxy) return new Agent({ ...limits, connect });
  // Many proxies allow tunnels to the port of HTTPS only.
  const proxyTunnel = url.protocol === 'https:';
  return new ProxyAgent({ ...limits, uri: proxy.href, requestTls: connect, proxyTls: connect, proxyTunnel });
}

export function httpTransport(parts: HttpParts, kind: 'http' | 'sse'): Transport {
  const light = createLightFetch(parts.agent);
  const fetch = noteStream(parts, parts.bearer ? withBearer(light, parts.bearer) : light);
  const requestInit = { headers: parts.headers };
  if (kind === 'http') {
    // The stream for announcements is reopened for as long as the connection lives.
    const reconnectionOptions = {
      initialReconnectionDelay: 1000,
      maxReconnectionDelay: 60_000,
      reconnectionDelayGrowFactor: 2,
      maxRetries: 1e9,
    };
    return new StreamableHTTPClientTransport(parts.url, { fetch, requestInit, reconnectionOptions });
  }
  return new SseTransport({ url: parts.url, headers: parts.headers, fetch });
}

/** The first GET is the stream on which a server of the 2025 revisions sends what belongs to no request. */
function noteStream(parts: HttpParts, send: FetchLike): FetchLike {
  return (url, init) => {
    const response = send(url, init);
    if (init?.method === 'GET') parts.stream ??= response.then(nothing, nothing);
    return response;
  };
}

const nothing = (): void => undefined;

/** Servers drop what they send before the stream is open, so a call that makes the server ask something has to wait for it. */
export async function streamOpen({ stream }: HttpParts): Promise<void> {
  if (stream) await Promise.race([stream, sleep(STREAM_MS, undefined, { ref: false })]);
}

interface PortHooks {
  modern: boolean;
  inbound: (message: RpcMessage, related: number | undefined) => void;
  fail: (id: number, error: LaneError) => void;
  lost: (reason: string) => void;
}

export function httpPort(
  transport: StreamableHTTPClientTransport,
  parts: HttpParts,
  hooks: PortHooks,
): HttpPort {
  const version = transport.protocolVersion;
  const headers = {
    ...parts.headers,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(transport.sessionId && { 'mcp-session-id': transport.sessionId }),
    ...(version && { 'mcp-protocol-version': version }),
  };
  return new HttpPort({
    url: parts.url,
    agent: parts.agent,
    connectMs: parts.connectMs,
    idleMs: parts.idleMs,
    headers,
    bearer: parts.bearer,
    modern: hooks.modern,
    hasSession: transport.sessionId !== undefined,
    deliver: hooks.inbound,
    fail: hooks.fail,
    lost: hooks.lost,
  });
}

/** The HTTP status of a failed connection, if the SDK's error has one. */
export function httpStatusOf(error: unknown): number | undefined {
  const data = isObject(error) || error instanceof Error ? (error as { data?: unknown }).data : undefined;
  return isObject(data) && typeof data.status === 'number' ? data.status : undefined;
}

function lowerCase(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
