import type { JsonRoute, RouteInput, RouteName, RouteOutput } from './api.ts';
import type { ErrorBody } from '../error-body.ts';
import { isErrorCode, ProxyError } from '../errors.ts';
import { ROUTE_ADDRESSES, type RouteAddress } from '../values.ts';

export type Fetch = (request: Request) => Promise<Response>;

/** A request before it is sent. */
export interface Call {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
  signal?: AbortSignal;
}

/** What the client needs of a response. */
export interface Answer {
  ok: boolean;
  status: number;
  body: AsyncIterable<Uint8Array> | null;
  text(): Promise<string>;
}

export interface ClientOptions {
  url: string;
  /** Absent in the web UI, which has a cookie instead. */
  apiKey?: string;
  /** Added to every request. */
  headers?: () => Record<string, string>;
  /** Names the program in the records, e.g. "cli". */
  client: string;
  fetch?: Fetch;
  /** Sends a request without the Fetch API, which takes 30 ms to load in Node. */
  send?: (call: Call) => Promise<Answer>;
  /** Parses the response body; default: JSON.parse. */
  parse?: (text: string) => unknown;
}

export interface Client {
  request<N extends JsonRoute>(name: N, input: RouteInput<N>, signal?: AbortSignal): Promise<RouteOutput<N>>;
  /** The response itself, for streams. Errors are thrown as by `request`. */
  open<N extends RouteName>(name: N, input: RouteInput<N>, options?: RequestOptions): Promise<Answer>;
}

export interface RequestOptions {
  signal?: AbortSignal | undefined;
  /** Further headers, such as Last-Event-ID to resume. */
  headers?: Record<string, string> | undefined;
}

/** Sent by the commands of this installation: a secret of the running proxy, which only the owner of its data directory can read. */
export const CLI_HEADER = 'x-mcpproxy-cli';

/** Sent by our own programs; the record names the program. */
export const CLIENT_HEADER = 'x-mcpproxy-client';

export function createClient(options: ClientOptions): Client {
  const send = options.send ?? byFetch(options.fetch ?? ((request) => fetch(request)));
  const parse = options.parse ?? ((text: string) => JSON.parse(text) as unknown);

  async function open(
    name: RouteName,
    input: Record<string, unknown>,
    { signal, headers = {} }: RequestOptions = {},
  ): Promise<Answer> {
    const call = buildCall(ROUTE_ADDRESSES[name], input, options);
    Object.assign(call.headers, headers);
    let answer: Answer;
    try {
      answer = await send(signal ? { ...call, signal } : call);
    } catch (cause) {
      if (signal?.aborted || cause instanceof ProxyError) throw cause;
      throw new ProxyError(
        'NO_DAEMON',
        `No mcpproxy answers at ${options.url}: start it with "mcpproxy serve"`,
      ).withCause(cause);
    }
    if (!answer.ok) throw await toError(answer);
    return answer;
  }

  return {
    open: (name, input, how) => open(name, input as Record<string, unknown>, how),
    async request(name, input, signal) {
      const answer = await open(name, input as Record<string, unknown>, { signal });
      const text = await answer.text();
      try {
        return parse(text) as RouteOutput<typeof name>;
      } catch (cause) {
        throw new ProxyError(
          'NO_DAEMON',
          `The program at ${options.url} is not mcpproxy: it answers otherwise`,
        ).withCause(cause);
      }
    },
  };
}

function byFetch(send: Fetch): (call: Call) => Promise<Answer> {
  return ({ url, ...init }) => send(new Request(url, init));
}

type Primitive = string | number | boolean | null | undefined;

function buildCall(route: RouteAddress, input: Record<string, unknown>, options: ClientOptions): Call {
  const used = new Set(['body']);
  const path = route.path.replace(/\{(\w+)\}/g, (_, key: string) => {
    used.add(key);
    return encodeURIComponent(String(input[key]));
  });
  const url = new URL(baseUrl(options.url) + path);
  for (const [key, value] of Object.entries(input as Record<string, Primitive>)) {
    if (!used.has(key) && value !== undefined && value !== null) url.searchParams.set(key, String(value));
  }
  const headers: Record<string, string> = {
    ...options.headers?.(),
    ...(options.apiKey !== undefined && { 'x-api-key': options.apiKey }),
    [CLIENT_HEADER]: options.client,
    ...(route.hasBody && { 'content-type': 'application/json' }),
  };
  return {
    method: route.method,
    url: url.href,
    headers,
    ...(route.hasBody && { body: JSON.stringify(input.body ?? {}) }),
  };
}

async function toError(answer: Answer): Promise<ProxyError> {
  const error = errorOf(await answer.text().catch(() => ''));
  if (!error) return new ProxyError('INTERNAL', `Unexpected answer: HTTP ${answer.status}`);
  const { code, message, details, request_id } = error;
  return new ProxyError(isErrorCode(code) ? code : 'INTERNAL', message, {
    ...(typeof details === 'object' && details),
    ...(request_id && { request_id }),
  });
}

function errorOf(text: string): ErrorBody['error'] | undefined {
  try {
    const { error } = JSON.parse(text) as Partial<ErrorBody>;
    return typeof error?.code === 'string' && typeof error.message === 'string' ? error : undefined;
  } catch {
    return undefined;
  }
}

/** The address of a proxy, also below the path of a reverse proxy. That of its MCP endpoint is understood too. */
export function baseUrl(address: string): string {
  const { origin, pathname } = new URL(address);
  const path = pathname.replace(/\/$/, '');
  return path === '/mcp' ? origin : origin + path;
}

/** Where this machine reaches a proxy that listens at every address: as a Host, such an address is refused. */
export function localUrl(url: string): string {
  return url.replace(/^http:\/\/(?:0\.0\.0\.0|\[::\]|::)(?=:\d+$|$)/, 'http://127.0.0.1');
}
