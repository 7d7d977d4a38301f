import {
  API_PREFIX,
  routes,
  type JsonRoute,
  type RouteInput,
  type RouteName,
  type RouteOutput,
} from './api.ts';
import type { Route } from './route.ts';
import { ErrorBody, ErrorCode, ProxyError } from '../errors.ts';

export type Fetch = (request: Request) => Promise<Response>;

export interface ClientOptions {
  url: string;
  /** Absent in the web UI, which has a cookie instead. */
  apiKey?: string;
  /** Added to every request. */
  headers?: () => Record<string, string>;
  /** Names the program in the records, e.g. "cli". */
  client: string;
  fetch?: Fetch;
  /** Parses the response body; default: JSON.parse. */
  parse?: (text: string) => unknown;
}

export interface Client {
  request<N extends JsonRoute>(name: N, input: RouteInput<N>, signal?: AbortSignal): Promise<RouteOutput<N>>;
  /** The raw response, for streams. Errors are thrown as by `request`. */
  open<N extends RouteName>(name: N, input: RouteInput<N>, options?: RequestOptions): Promise<Response>;
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
  const send = options.fetch ?? ((request: Request) => fetch(request));
  const parse = options.parse ?? ((text: string) => JSON.parse(text) as unknown);

  async function open(
    name: RouteName,
    input: Record<string, unknown>,
    { signal, headers = {} }: RequestOptions = {},
  ): Promise<Response> {
    const request = buildRequest(routes[name], input, { ...options, signal });
    for (const [key, value] of Object.entries(headers)) request.headers.set(key, value);
    let response: Response;
    try {
      response = await send(request);
    } catch (cause) {
      if (signal?.aborted) throw cause;
      throw new ProxyError(
        'NO_DAEMON',
        `No mcpproxy answers at ${options.url}: start it with "mcpproxy serve"`,
      ).withCause(cause);
    }
    if (!response.ok) throw await toError(response);
    return response;
  }

  return {
    open: (name, input, how) => open(name, input as Record<string, unknown>, how),
    async request(name, input, signal) {
      const response = await open(name, input as Record<string, unknown>, { signal });
      return parse(await response.text()) as RouteOutput<typeof name>;
    },
  };
}

type Primitive = string | number | boolean | null | undefined;

function buildRequest(
  route: Route,
  input: Record<string, unknown>,
  options: ClientOptions & Pick<RequestOptions, 'signal'>,
): Request {
  const used = new Set(['body']);
  const path = route.path.replace(/\{(\w+)\}/g, (_, key: string) => {
    used.add(key);
    return encodeURIComponent(String(input[key]));
  });
  const url = new URL(API_PREFIX + path, options.url);
  for (const [key, value] of Object.entries(input as Record<string, Primitive>)) {
    if (!used.has(key) && value !== undefined && value !== null) url.searchParams.set(key, String(value));
  }
  const headers: Record<string, string> = {
    ...options.headers?.(),
    ...(options.apiKey !== undefined && { 'x-api-key': options.apiKey }),
    [CLIENT_HEADER]: options.client,
  };
  const init: RequestInit = { method: route.method, headers };
  if (options.signal) init.signal = options.signal;
  if (route.body) {
    headers['content-type'] = 'application/json';
    init.body = JSON.stringify(input.body ?? {});
  }
  return new Request(url, init);
}

async function toError(response: Response): Promise<ProxyError> {
  const parsed = ErrorBody.safeParse(await response.json().catch(() => null));
  if (!parsed.success) return new ProxyError('INTERNAL', `Unexpected answer: HTTP ${response.status}`);
  const { code, message, details, request_id } = parsed.data.error;
  const known = ErrorCode.safeParse(code);
  return new ProxyError(known.success ? known.data : 'INTERNAL', message, {
    ...details,
    ...(request_id && { request_id }),
  });
}
