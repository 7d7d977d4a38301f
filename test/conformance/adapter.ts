import { once } from 'node:events';
import {
  createServer,
  request,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import type { ToolEntry } from '../../src/contract/tool.ts';
import type { RunningProxy } from '../e2e/start-proxy.ts';

interface Message {
  method?: string;
  params?: { name?: string; uri?: string; ref?: { name?: string; uri?: string }; arguments?: unknown };
  result?: { tools?: unknown };
}

export interface Adapter {
  url: string;
  close(): void;
}

/**
 * The suite uses fixed names and URIs; behind the proxy those of tools are arguments of its own tools, and those of prompts and resources
 * begin with their server. The adapter translates them and shows the tools of one server, as in the proxy's catalog, in `tools/list`. Everything else (status,
 * headers, events, errors, `_meta`) passes unchanged, so that the proxy's own wire format is tested.
 */
export async function startAdapter(proxy: RunningProxy, server: string): Promise<Adapter> {
  const { tools } = await proxy.rest.request('listTools', { server, limit: 1000 });
  const target = new URL('/mcp', proxy.url);
  const relay = createServer((req, res) => void pass(req, res).catch(() => res.destroy()));
  // A connection that is closed as unused in the moment of its next request fails that request.
  relay.keepAliveTimeout = 600_000;
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  const { port } = relay.address() as AddressInfo;

  async function pass(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const given = await readText(req);
    const message = given === '' ? undefined : (JSON.parse(given) as Message);
    const call = message && translated(message, server, tools);
    const body = call ? JSON.stringify(call) : given;
    const headers = headersFor(req.headers, body, { [`localhost:${port}`]: target.host });
    const named = headers['mcp-name'];
    if (call && named !== undefined) {
      if (named === message.params?.name) headers['mcp-name'] = call.params?.name;
      if (named === message.params?.uri) headers['mcp-name'] = call.params?.uri;
    }
    headers['x-api-key'] = proxy.key;
    const onward = request(target, { method: req.method, headers });
    res.on('close', () => onward.destroy());
    onward.on('error', () => res.destroy());
    onward.on('response', (answer) => {
      if (message?.method === 'tools/list') showTools(answer, res, tools).catch(() => res.destroy());
      else if (URI_LISTS.includes(message?.method ?? ''))
        showOwnUris(answer, res, server).catch(() => res.destroy());
      else passOn(answer, res);
    });
    onward.end(body);
  }

  return {
    url: `http://localhost:${port}/mcp`,
    close() {
      relay.closeAllConnections();
      relay.close();
    },
  };
}

/** Undefined: the message passes as it is. */
function translated(message: Message, server: string, tools: ToolEntry[]): Message | undefined {
  const { method, params } = message;
  const uriOf = (uri: string) => `mcpproxy://${server}/${uri}`;
  if (method === 'tools/call') return translatedCall(message, server, tools);
  if (method === 'prompts/get')
    return { ...message, params: { ...params, name: `${server}:${params?.name}` } };
  if (params?.uri !== undefined && !method?.startsWith('notifications/'))
    return { ...message, params: { ...params, uri: uriOf(params.uri) } };
  if (method !== 'completion/complete' || !params?.ref) return undefined;
  return { ...message, params: { ...params, ref: translatedRef(params.ref, server) } };
}

function translatedRef(ref: { name?: string; uri?: string }, server: string): typeof ref {
  const { name, uri } = ref;
  return {
    ...ref,
    ...(name !== undefined && { name: `${server}:${name}` }),
    ...(uri !== undefined && { uri: `mcpproxy://${server}/${uri}` }),
  };
}

function translatedCall(message: Message, server: string, tools: ToolEntry[]): Message {
  const name = `${server}:${message.params?.name}`;
  const variant = tools.find((tool) => tool.name === name)?.call_with ?? 'call_tool_read';
  const args = {
    name,
    args: message.params?.arguments ?? {},
    intent_operation_type: variant.replace('call_tool_', ''),
  };
  return { ...message, params: { ...message.params, name: variant, arguments: args } };
}

/** A forged Host or Origin goes on as it is; our own address becomes the proxy's. */
function headersFor(
  given: IncomingHttpHeaders,
  body: string,
  hosts: Record<string, string>,
): IncomingHttpHeaders {
  const headers: IncomingHttpHeaders = { ...given, host: hosts[given.host ?? ''] ?? given.host };
  const origin = hosts[(given.origin ?? '').replace('http://', '')];
  if (origin !== undefined) headers.origin = `http://${origin}`;
  delete headers['transfer-encoding'];
  if (body !== '') headers['content-length'] = String(Buffer.byteLength(body));
  return headers;
}

function passOn(answer: IncomingMessage, res: ServerResponse): void {
  res.writeHead(answer.statusCode!, answer.headers);
  res.flushHeaders();
  answer.pipe(res);
}

const URI_LISTS = ['resources/list', 'resources/directory/read', 'skills/list', 'skills/get'];

/** The suite looks at the URIs of skills, and asks for what is below them. */
async function showOwnUris(answer: IncomingMessage, res: ServerResponse, server: string): Promise<void> {
  const body = (await readText(answer)).replaceAll(`"mcpproxy://${server}/`, '"');
  res.writeHead(answer.statusCode!, { ...answer.headers, 'content-length': Buffer.byteLength(body) });
  res.end(body);
}

/** The proxy answers lists with plain JSON. */
async function showTools(answer: IncomingMessage, res: ServerResponse, tools: ToolEntry[]): Promise<void> {
  const message = JSON.parse(await readText(answer)) as Message;
  if (message.result) message.result.tools = tools.map(asListed);
  const body = JSON.stringify(message);
  res.writeHead(answer.statusCode!, { ...answer.headers, 'content-length': Buffer.byteLength(body) });
  res.end(body);
}

function asListed({ name, server, description, inputSchema, annotations }: ToolEntry): unknown {
  return { name: name.slice(server.length + 1), description, inputSchema, annotations };
}
