import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { CallResult } from '../../src/contract/call.ts';
import type { Json } from '../fixtures/mcp-harness.ts';

/** The official clients that servers may ask: the current line in both protocol eras, and the older line. */
export const ASKED_CLIENTS = ['2026-07-28', '2025 (legacy)', 'SDK 1.x'] as const;
export type AskedClientKind = (typeof ASKED_CLIENTS)[number];

/** How a client answers, and what it was asked. */
export interface AskedOptions {
  name?: string;
  capabilities?: Json;
  /** The root that it names. */
  root?: string;
  elicit?: (params: Json) => Json;
  sample?: (params: Json) => Json;
}

export interface AskedClient {
  /** The official client itself. */
  sdk: Json;
  asked: Array<{ method: string; params: Json }>;
  logs: Json[];
  call(tool: string, args?: Record<string, unknown>, variant?: 'read' | 'write'): Promise<CallResult>;
  setLevel(level: string): Promise<unknown>;
  rootsChanged(root: string): Promise<void>;
  close(): Promise<void>;
}

const CAPABILITIES = { sampling: {}, elicitation: { form: {}, url: {} }, roots: { listChanged: true } };
const REPLY = { role: 'assistant', model: 'scripted', content: { type: 'text', text: 'pong' } };

/** Accepts every form: a required boolean with true, everything else with a text. */
function accept({ requestedSchema }: Json): Json {
  const fields = Object.entries<Json>(requestedSchema?.properties ?? {});
  const required = fields.filter(([name]) => requestedSchema.required?.includes(name));
  const content = required.map(([name, { type }]) => [name, type === 'boolean' ? true : `my ${name}`]);
  return { action: 'accept', content: Object.fromEntries(content) };
}

export async function connectAsked(
  kind: AskedClientKind,
  { url, key }: { url: string; key: string },
  options: AskedOptions = {},
): Promise<AskedClient> {
  const { name = 'asked', capabilities = CAPABILITIES, elicit = accept, sample = () => REPLY } = options;
  let { root = 'file:///home/one' } = options;
  const asked: AskedClient['asked'] = [];
  const logs: Json[] = [];
  const note = (method: string, answer: (params: Json) => Json) => async (request: Json) => {
    asked.push({ method, params: request.params });
    return answer(request.params ?? {});
  };
  const roots = () => ({ roots: [{ uri: root, name: 'root' }] });
  const info = { name, version: '1.0.0' };
  const headers = { requestInit: { headers: { authorization: `Bearer ${key}` } } };
  const endpoint = new URL('/mcp', url);
  const handlers: Record<string, (request: Json) => Promise<Json>> = {
    ...(capabilities.elicitation && { 'elicitation/create': note('elicitation/create', elicit) }),
    ...(capabilities.sampling && { 'sampling/createMessage': note('sampling/createMessage', sample) }),
    ...(capabilities.roots && { 'roots/list': note('roots/list', roots) }),
  };
  const onLog = (message: Json) => void logs.push(message.params);
  const connectOne = kind === 'SDK 1.x' ? connectOlder : connectNewer;
  const client: Json = await connectOne({ kind, info, capabilities, handlers, onLog, endpoint, headers });
  return {
    sdk: client,
    asked,
    logs,
    call: (tool, args = {}, variant = 'read') =>
      client.callTool(
        {
          name: `call_tool_${variant}`,
          arguments: { name: tool, args, intent: { operation_type: variant } },
        },
        ...(kind === 'SDK 1.x' ? [undefined] : []),
        { timeout: 200_000 },
      ),
    setLevel: (level) => client.setLoggingLevel(level),
    async rootsChanged(next) {
      root = next;
      await client.sendRootsListChanged();
    },
    async close() {
      // A client that leaves without a word keeps its session until it expires.
      await client.transport?.terminateSession?.();
      await client.close();
    },
  };
}

interface Wiring {
  kind: AskedClientKind;
  info: { name: string; version: string };
  capabilities: Json;
  handlers: Record<string, (request: Json) => Promise<Json>>;
  onLog: (message: Json) => void;
  endpoint: URL;
  headers: { requestInit: { headers: Record<string, string> } };
}

const SCHEMAS: Record<string, Json> = {
  'elicitation/create': ElicitRequestSchema,
  'sampling/createMessage': CreateMessageRequestSchema,
  'roots/list': ListRootsRequestSchema,
};

async function connectOlder({
  info,
  capabilities,
  handlers,
  onLog,
  endpoint,
  headers,
}: Wiring): Promise<Json> {
  const client = new ClientV1(info, { capabilities });
  for (const [method, handler] of Object.entries(handlers))
    client.setRequestHandler(SCHEMAS[method], handler as Json);
  client.setNotificationHandler(LoggingMessageNotificationSchema, onLog);
  await client.connect(new TransportV1(endpoint, headers));
  return client;
}

async function connectNewer({
  kind,
  info,
  capabilities,
  handlers,
  onLog,
  endpoint,
  headers,
}: Wiring): Promise<Json> {
  const mode = kind === '2026-07-28' ? { pin: kind } : ('legacy' as const);
  const client = new Client(info, { capabilities, versionNegotiation: { mode } });
  for (const [method, handler] of Object.entries(handlers))
    client.setRequestHandler(method as 'roots/list', handler);
  client.setNotificationHandler('notifications/message', onLog);
  await client.connect(new StreamableHTTPClientTransport(endpoint, headers));
  return client;
}

export const textOf = ({ content }: CallResult): string => String(content?.[0]?.text);
