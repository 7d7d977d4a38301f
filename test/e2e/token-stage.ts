import { Client } from '@modelcontextprotocol/client';
import type { ActivityFilter, ActivityRecord } from '../../src/contract/activity.ts';
import type { RouteInput } from '../../src/contract/routes/api.ts';
import type { MadeToken } from '../../src/contract/token.ts';
import { openExecutionLog } from '../fixtures/execution-log.ts';
import { bridgeTransport, connectClient, type ClientKind, type TestClient } from './mcp-clients.ts';
import { runHere } from './cli-here.ts';
import { runCli, type CliResult } from './run-cli.ts';
import { startHere } from './start-here.ts';
import { poll, type RunningProxy } from './start-proxy.ts';

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
  /** A command of the same installation; one with an environment of its own is a process. */
  cli(args: string[], env?: NodeJS.ProcessEnv): Promise<CliResult>;
  dispose(): Promise<void>;
}

export async function openTokenStage(config: Record<string, unknown> = {}): Promise<TokenStage> {
  const log = openExecutionLog();
  const mcpServers = {
    up: { ...log.server(), tools: { only_title: { operation: 'read' as const } } },
    other: log.server(),
  };
  const proxy = await startHere({ config: { mcpServers, ...config } });
  const clients: TestClient[] = [];
  return {
    proxy,
    token: (body) => proxy.rest.request('createToken', { body }),
    async client(way, token) {
      const made = await (way.startsWith('stdio')
        ? bridge(way, token, proxy.url)
        : connectClient(way as ClientKind, { url: proxy.url, key: token }));
      clients.push(made);
      return made;
    },
    executions: () => log.executions().length,
    records: async (filter) => (await proxy.rest.request('listActivity', { ...filter, limit: 100 })).records,
    cli: (args, env) =>
      env ? runCli([...args, ...proxy.place], { home: proxy.home, env }) : runHere([...args, ...proxy.place]),
    async dispose() {
      for (const client of clients) await client.close().catch(() => undefined);
      await proxy.dispose();
      log.remove();
    },
  };
}

async function bridge(way: Way, token: string, url: string): Promise<TestClient> {
  const mode = way === 'stdio bridge 2026' ? { pin: '2026-07-28' } : ('legacy' as const);
  const client = new Client({ name: 'bridged', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(bridgeTransport(url, token));
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
