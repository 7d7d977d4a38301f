import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
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
