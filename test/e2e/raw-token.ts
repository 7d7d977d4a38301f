import { request, type IncomingMessage } from 'node:http';

/** One HTTP exchange with /mcp, seen piece by piece. */
export interface Exchange {
  status: Promise<number>;
  headers: Promise<Record<string, string | string[] | undefined>>;
  text(): string;
  /** Resolves with the whole text when the answer has ended, however it did. */
  ended: Promise<string>;
  close(): void;
}

export interface Raw {
  token: string;
  method?: 'POST' | 'GET' | 'DELETE';
  headers?: Record<string, string>;
  body?: unknown;
  path?: string;
}

const LIMIT_MS = 280_000;

export function exchange(
  url: string,
  { token, method = 'POST', headers = {}, body, path = '/mcp' }: Raw,
): Exchange {
  let text = '';
  const req = request(`${url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/json, text/event-stream',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    timeout: LIMIT_MS,
  });
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    req.on('response', resolve).on('error', reject);
    req.on('timeout', () => req.destroy(new Error('no answer in time')));
  });
  const ended = response.then(
    (res) =>
      new Promise<string>((resolve) => {
        res.setEncoding('utf8').on('data', (piece: string) => (text += piece));
        res.on('error', () => undefined).on('close', () => resolve(text));
      }),
  );
  const status = response.then((res) => res.statusCode!);
  const headersOf = response.then((res) => res.headers);
  // A promise that the test does not await must not become an unhandled rejection.
  for (const each of [ended, status, headersOf]) each.catch(() => undefined);
  req.end(body === undefined ? undefined : JSON.stringify(body));
  return {
    status,
    headers: headersOf,
    text: () => text,
    ended,
    close: () => req.destroy(),
  };
}

const META = 'io.modelcontextprotocol';

/** A request of 2026-07-28, with the headers that belong to it. */
export function modern(method: string, params: Record<string, unknown> = {}, id: number | string = 1) {
  const envelope = {
    [`${META}/protocolVersion`]: '2026-07-28',
    [`${META}/clientInfo`]: { name: 'raw', version: '1' },
    [`${META}/clientCapabilities`]: { elicitation: {} },
  };
  const { _meta: meta, ...rest } = params as { _meta?: object; name?: string };
  return {
    headers: {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof rest.name === 'string' && { 'mcp-name': rest.name }),
    } as Record<string, string>,
    body: { jsonrpc: '2.0', id, method, params: { ...rest, _meta: { ...envelope, ...meta } } },
  };
}

/** A `tools/call` of a reading tool of the upstream. */
export function reading(tool: string, args: Record<string, unknown> = {}) {
  return { name: 'call_tool_read', arguments: { name: tool, args, intent_operation_type: 'read' } };
}

/** Opens a session of 2025; gives the headers that belong to it. */
export async function openSession(
  url: string,
  token: string,
  capabilities: object = {},
): Promise<Record<string, string>> {
  const opened = exchange(url, {
    token,
    body: {
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'raw', version: '1' } },
    },
  });
  const session = {
    'mcp-session-id': String((await opened.headers)['mcp-session-id']),
    'mcp-protocol-version': '2025-11-25',
  };
  const ready = { jsonrpc: '2.0', method: 'notifications/initialized' };
  await exchange(url, { token, headers: session, body: ready }).ended;
  return session;
}
