import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { ActivityFilter, ActivityRecord } from '../../src/contract/activity.ts';
import type { RouteInput } from '../../src/contract/routes/api.ts';
import type { MadeToken } from '../../src/contract/token.ts';
import { fixture } from '../fixtures/start.ts';
import { connectClient, type ClientKind, type TestClient } from './mcp-clients.ts';
import { runCli, type CliResult } from './run-cli.ts';
import { jsonLines } from './stage.ts';
import { cleanEnv, MAIN, poll, startProxy, type RunningProxy } from './start-proxy.ts';

export type Way = ClientKind | 'stdio bridge 2026' | 'stdio bridge 2025';
export const WAYS: readonly Way[] = [
  '2026-07-28',
  '2025 (legacy)',
  'SDK 1.x',
  'stdio bridge 2026',
  'stdio bridge 2025',
];

/** A running proxy with two servers, `up` and `other`, which write down every execution. */
export interface TokenStage {
  proxy: RunningProxy;
  token(wanted: RouteInput<'createToken'>['body']): Promise<MadeToken>;
  /** A client that holds this token and nothing else. */
  client(way: Way, token: string): Promise<TestClient>;
  executions(): number;
  records(filter: ActivityFilter): Promise<ActivityRecord[]>;
  cli(args: string[], env?: NodeJS.ProcessEnv): Promise<CliResult>;
  dispose(): Promise<void>;
}

export async function openTokenStage(config: Record<string, unknown> = {}): Promise<TokenStage> {
  const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-tokens-'));
  const log = join(dir, 'executions.jsonl');
  const mcpServers = {
    up: {
      ...fixture('annotated.mjs', '--log', log),
      tools: { only_title: { operation: 'read' } },
    },
    other: fixture('annotated.mjs', '--log', log),
  };
  const proxy = await startProxy({ config: { mcpServers, ...config } });
  const clients: TestClient[] = [];
  return {
    proxy,
    token: (body) => proxy.rest.request('createToken', { body }),
    async client(way, token) {
      const made = await (way.startsWith('stdio')
        ? bridge(way, token, proxy)
        : connectClient(way as ClientKind, { url: proxy.url, key: token }));
      clients.push(made);
      return made;
    },
    executions: () => (existsSync(log) ? jsonLines(readFileSync(log, 'utf8')).length : 0),
    records: async (filter) => (await proxy.rest.request('listActivity', { ...filter, limit: 100 })).records,
    cli: (args, env = {}) =>
      runCli([...args, '--config', proxy.configFile, '--data-dir', proxy.dataDir], { home: proxy.home, env }),
    async dispose() {
      for (const client of clients) await client.close().catch(() => undefined);
      await proxy.dispose();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** `mcpproxy stdio --url`, started as a client would: it knows neither the data directory nor the key of the operator. */
async function bridge(way: Way, token: string, { url, home }: RunningProxy): Promise<TestClient> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, 'stdio', '--url', url],
    env: { ...(cleanEnv(home) as Record<string, string>), HOME: '/nonexistent', MCPPROXY_TOKEN: token },
    stderr: 'ignore',
  });
  const mode = way === 'stdio bridge 2026' ? { pin: '2026-07-28' } : ('legacy' as const);
  const client = new Client({ name: 'bridged', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(transport);
  return {
    call: (name, args) => client.callTool({ name, arguments: args }),
    list: async () => (await client.listTools()).tools,
    announcements: () => 0,
    close: () => client.close(),
  };
}

export function until<T>(what: string, attempt: () => Promise<T | undefined> | T | undefined): Promise<T> {
  return poll(what, () => '', attempt);
}
