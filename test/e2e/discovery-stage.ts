import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CallResult } from '../../src/contract/call.ts';
import type { ToolDefinition } from '../../src/contract/tool.ts';
import { openExecutionLog, type Execution } from '../fixtures/execution-log.ts';
import { fixture } from '../fixtures/start.ts';
import { openRawMcp, type RawMcp } from './raw-mcp.ts';
import { runHere } from './cli-here.ts';
import type { CliResult } from './run-cli.ts';
import { startHere } from './start-here.ts';
import { poll, type RunningProxy } from './start-proxy.ts';

interface Listing {
  instructions?: string;
  tools: ToolDefinition[];
}

/** A running proxy with one upstream, `srv`, that says of itself what the test wants, and an agent that keeps all it was ever told. */
export interface DiscoveryStage {
  proxy: RunningProxy;
  /** The server says something else from now on; resolves when the proxy has heard. */
  list(listing: Listing): Promise<void>;
  agent: {
    call(tool: string, args: Record<string, unknown>): Promise<CallResult>;
    send(method: string, params?: Record<string, unknown>): Promise<unknown>;
    /** Every byte that came back to it. */
    heard(): string;
  };
  executions(): Execution[];
  cli(...args: string[]): Promise<CliResult>;
  configure(change: Record<string, unknown>): Promise<void>;
  restart(signal?: NodeJS.Signals): Promise<void>;
  dispose(): Promise<void>;
}

export async function openDiscoveryStage(
  config: Record<string, unknown>,
  listing: Listing,
  /** `startProxy` where the process itself is killed. */
  start = startHere,
): Promise<DiscoveryStage> {
  const log = openExecutionLog();
  const file = join(log.dir, 'listing.json');
  writeFileSync(file, JSON.stringify(listing));
  let full: Record<string, unknown> = {
    ...config,
    mcpServers: { srv: fixture('changeable.mjs', file, log.file) },
  };
  let proxy = await start({ config: full });
  let raw: RawMcp | undefined;
  let heard = '';
  let id = 0;

  const stage: DiscoveryStage = {
    get proxy() {
      return proxy;
    },
    async list(next) {
      const wanted = JSON.stringify(shown(next));
      // Beside its place first: the server must never read half a file.
      writeFileSync(`${file}.new`, JSON.stringify(next));
      renameSync(`${file}.new`, file);
      await poll(
        'the new listing',
        proxy.stderr,
        async () => JSON.stringify(await listed(proxy)) === wanted || undefined,
      );
    },
    agent: {
      async send(method, params = {}) {
        raw ??= await openRawMcp(proxy);
        const answer = await raw.send(JSON.stringify({ jsonrpc: '2.0', id: `a${id++}`, method, params }));
        heard += `${answer.text}\n`;
        return (answer.json as { result?: unknown }).result;
      },
      call: (tool, args) =>
        stage.agent.send('tools/call', { name: tool, arguments: args }) as Promise<CallResult>,
      heard: () => heard,
    },
    executions: log.executions,
    cli: (...args) => runHere([...args, ...proxy.place]),
    async configure(change) {
      full = { ...full, ...change };
      writeFileSync(proxy.configFile, JSON.stringify(full));
      const wanted = full.quarantine ?? 'risky';
      await poll('the configuration to be read', proxy.stderr, async () =>
        (await proxy.rest.request('status', {})).quarantine === wanted ? true : undefined,
      );
    },
    async restart(signal) {
      await proxy.stop(signal);
      raw = undefined;
      proxy = await start({ home: proxy.home });
    },
    async dispose() {
      await proxy.dispose();
      log.remove();
    },
  };
  return stage;
}

/** What the operator sees of the server's tools, by name. */
async function listed(proxy: RunningProxy): Promise<unknown> {
  const { tools } = await proxy.rest.request('listTools', { server: 'srv', limit: 1000 });
  return tools.map(({ name, description, inputSchema, annotations }) => [
    name,
    description,
    inputSchema,
    annotations,
  ]);
}

function shown({ tools }: Listing): unknown {
  return [...tools]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, description = '', inputSchema, annotations = {} }) => [
      `srv:${name}`,
      description,
      inputSchema,
      annotations,
    ]);
}
