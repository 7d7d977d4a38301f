import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopDaemon } from '../../src/start/stop-daemon.ts';
import type { Place } from '../fixtures/mcp-clients.ts';
import { fixture, startHttpFixture, type HttpFixture } from '../fixtures/start.ts';
import { MAIN, startProxy, type RunningProxy } from './start-proxy.ts';

export const OWN_TOOLS = [
  'retrieve_tools',
  'describe_tool',
  'call_tool_read',
  'call_tool_write',
  'call_tool_destructive',
];

/** Servers that are reached by the same client directly and through the proxy: each revision by one that speaks no other. */
export interface ForeignStage {
  proxy: RunningProxy;
  /** Where the server of a revision is. */
  direct: (revision: string) => Place;
  /** How often the server `up` has noticed a cancelled call. */
  cancellations: () => number;
  started: (tool: string) => number;
  http: Place;
  /** A process that passes on to the running proxy, as it uses the same data directory. */
  stdioBeside: Place;
  /** A process with a data directory of its own, which is a proxy by itself. */
  stdioAlone: Place;
  dispose: () => Promise<void>;
}

export async function openForeignStage(): Promise<ForeignStage> {
  const dir = mkdtempSync(join(tmpdir(), 'mcpproxy-foreign-'));
  const log = join(dir, 'executions.jsonl');
  const servers: Record<string, HttpFixture> = {
    '2025-11-25': await startHttpFixture('../conformance/fixture.mjs', '/mcp', '--era', '2025'),
    '2026-07-28': await startHttpFixture('../conformance/fixture.mjs', '/mcp'),
  };
  const urls = Object.fromEntries(Object.entries(servers).map(([name, { url }]) => [name, { url }]));
  const config = { mcpServers: { ...urls, up: fixture('annotated.mjs', '--log', log) } };
  const aloneConfig = join(dir, 'mcp_config.json');
  writeFileSync(aloneConfig, JSON.stringify(config), { mode: 0o600 });
  const proxy = await startProxy({ config });
  const logged = () => (existsSync(log) ? readFileSync(log, 'utf8').split('\n') : []);
  return {
    proxy,
    direct: (revision) => urls[revision]!,
    cancellations: () => logged().filter((line) => line.includes('"cancelled":true')).length,
    started: (tool) => logged().filter((line) => line.includes(`{"tool":"${tool}","args"`)).length,
    http: { url: `${proxy.url}/mcp`, headers: { 'x-api-key': proxy.key } },
    stdioBeside: stdio(proxy.configFile, proxy.dataDir),
    stdioAlone: stdio(aloneConfig, join(dir, 'data')),
    async dispose() {
      await proxy.dispose();
      for (const server of Object.values(servers)) await server.stop();
      // The daemon in the background would write into its directory for some seconds more.
      await stopDaemon({ config: aloneConfig, dataDir: join(dir, 'data') });
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

function stdio(config: string, dataDir: string): { command: string; args: string[] } {
  return { command: process.execPath, args: [MAIN, 'stdio', '--config', config, '--data-dir', dataDir] };
}

/** The arguments of `call_tool_read` for a call. */
export function reading(name: string, args: Record<string, unknown> = {}): Record<string, unknown> {
  return { name, args, intent_operation_type: 'read' };
}
