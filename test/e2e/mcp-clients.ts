import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallResult } from '../../src/contract/call.ts';
import type { ToolDefinition } from '../../src/contract/tool.ts';
import { cleanEnv, MAIN, type RunningProxy } from './start-proxy.ts';

/** The official clients: the current line in both protocol eras, and the older line. */
export const CLIENTS = ['2026-07-28', '2025 (legacy)', 'SDK 1.x'] as const;
export type ClientKind = (typeof CLIENTS)[number];

/** What the tests need of a client, whichever it is. */
export interface TestClient {
  call(tool: string, args: Record<string, unknown>): Promise<CallResult>;
  list(): Promise<ToolDefinition[]>;
  /** How often the proxy has announced a new list. */
  announcements(): number;
  close(): Promise<void>;
}

const INFO = { name: 'e2e-client', version: '1.0.0' };

export async function connectClient(
  kind: ClientKind,
  { url, key }: Pick<RunningProxy, 'url' | 'key'>,
  path = '/mcp',
): Promise<TestClient> {
  const endpoint = new URL(path, url);
  const options = { requestInit: { headers: { authorization: `Bearer ${key}` } } };
  let announced = 0;
  if (kind === 'SDK 1.x') {
    const client = new ClientV1(INFO, {
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => void announced++ } },
    });
    await client.connect(new TransportV1(endpoint, options));
    return { ...faceOf(client), announcements: () => announced };
  }
  const mode = kind === '2026-07-28' ? { pin: kind } : ('legacy' as const);
  const client = new Client(INFO, {
    versionNegotiation: { mode },
    listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => void announced++ } },
  });
  await client.connect(new StreamableHTTPClientTransport(endpoint, options));
  return { ...faceOf(client), announcements: () => announced };
}

function faceOf(client: {
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  listTools(): Promise<unknown>;
  close(): Promise<void>;
}): Omit<TestClient, 'announcements'> {
  return {
    call: async (name, args) => (await client.callTool({ name, arguments: args })) as CallResult,
    list: async () => ((await client.listTools()) as { tools: ToolDefinition[] }).tools,
    close: () => client.close(),
  };
}

/** `mcpproxy stdio --url`, started as a client would: it knows neither the data directory nor the key of the operator. */
export function bridgeTransport(url: string, token: string): StdioClientTransport {
  return new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, 'stdio', '--url', url],
    env: { ...(cleanEnv('/nonexistent') as Record<string, string>), MCPPROXY_TOKEN: token },
    stderr: 'ignore',
  });
}

/** A resource that a client watches, and the updates that it has got. */
interface Watch {
  updates(): string[];
  stop(): Promise<void>;
}

/** A client with everything that servers offer besides tools. */
export type FullClient = Pick<
  ClientV1,
  | 'listPrompts'
  | 'getPrompt'
  | 'listResources'
  | 'listResourceTemplates'
  | 'readResource'
  | 'complete'
  | 'callTool'
  | 'close'
> & {
  watch(uri: string): Promise<Watch>;
  /** Collects the names of the lists that are announced as changed. */
  onListChanged(): Promise<{ lists(): string[]; close(): Promise<void> }>;
};

export async function connectFull(
  kind: ClientKind,
  { url, key }: Pick<RunningProxy, 'url' | 'key'>,
): Promise<FullClient> {
  const endpoint = new URL('/mcp', url);
  const options = { requestInit: { headers: { authorization: `Bearer ${key}` } } };
  const updates: string[] = [];
  const lists: string[] = [];
  if (kind === 'SDK 1.x') {
    const client = new ClientV1(INFO);
    client.setNotificationHandler(
      ResourceUpdatedNotificationSchema,
      ({ params }) => void updates.push(params.uri),
    );
    await client.connect(new TransportV1(endpoint, options));
    return Object.assign(client, legacyWatch(client, updates), { onListChanged: notHere });
  }
  const isModern = kind === '2026-07-28';
  const client = new Client(INFO, {
    versionNegotiation: { mode: isModern ? { pin: kind } : ('legacy' as const) },
  });
  client.setNotificationHandler(
    'notifications/resources/updated',
    ({ params }) => void updates.push(params.uri),
  );
  for (const list of ['prompts', 'resources'] as const)
    client.setNotificationHandler(`notifications/${list}/list_changed`, () => void lists.push(list));
  await client.connect(new StreamableHTTPClientTransport(endpoint, options));
  const full = client as unknown as FullClient;
  if (!isModern) return Object.assign(full, legacyWatch(client, updates), { onListChanged: notHere });
  return Object.assign(full, {
    async watch(uri: string): Promise<Watch> {
      const stream = await client.listen({ resourceSubscriptions: [uri] });
      return { updates: () => updates.filter((each) => each === uri), stop: () => stream.close() };
    },
    async onListChanged() {
      const stream = await client.listen({ promptsListChanged: true, resourcesListChanged: true });
      return { lists: () => lists, close: () => stream.close() };
    },
  });
}

const notHere = () => Promise.reject(new Error('only of 2026-07-28'));

function legacyWatch(
  client: {
    subscribeResource(params: { uri: string }): Promise<unknown>;
    unsubscribeResource(params: { uri: string }): Promise<unknown>;
  },
  updates: string[],
) {
  return {
    async watch(uri: string): Promise<Watch> {
      await client.subscribeResource({ uri });
      return {
        updates: () => updates.filter((each) => each === uri),
        stop: async () => void (await client.unsubscribeResource({ uri })),
      };
    },
  };
}
