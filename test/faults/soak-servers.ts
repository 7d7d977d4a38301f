import { writeFileSync } from 'node:fs';
import type { ServerConfig } from '../../src/contract/config.ts';
import type { RunningProxy } from '../e2e/start-proxy.ts';
import { ownAddress } from '../fixtures/own-address.ts';
import { fixture, startHttpFixture, type HttpFixture } from '../fixtures/start.ts';

/** How long a server may be away, and its callers be told so, after something was done to it. */
const RECOVERY_MS = 20_000;

export interface SoakServers {
  config: Record<string, ServerConfig>;
  names: string[];
  readTool: (name: string) => string;
  /** Whether a failed call of it that began then is no surprise. */
  isDisturbed: (name: string, began: number) => boolean;
  disturbances: () => number;
  /** Does the next thing to the next server: restart it, kill it, or give it another configuration. */
  disturb(proxy: RunningProxy): Promise<void>;
  stop(): Promise<void>;
}

/** Four of five are processes, of both eras; the rest speaks HTTP. */
export async function startSoakServers(count: number, base: Record<string, unknown>): Promise<SoakServers> {
  const host = ownAddress();
  const config: Record<string, ServerConfig> = {};
  const remote = new Map<string, { http: HttpFixture; era: string }>();
  for (let n = 0; n < count; n++) {
    const name = `server${n}`;
    if (n % 5 === 4) {
      const era = n % 2 === 0 ? '2025' : '2026';
      const http = await startHttpFixture('http-echo.mjs', '/mcp', '--era', era, '--host', host);
      remote.set(name, { http, era });
      config[name] = { url: http.url };
    } else config[name] = fixture('annotated.mjs', ...(n % 2 === 0 ? ['--legacy'] : []));
  }
  const names = Object.keys(config);
  const touched = new Map<string, number>();
  let turn = 0;

  async function restartRemote(name: string): Promise<void> {
    const { http, era } = remote.get(name)!;
    await http.stop();
    const again = await startHttpFixture(
      'http-echo.mjs',
      '/mcp',
      '--era',
      era,
      '--host',
      host,
      '--port',
      String(http.port),
    );
    remote.set(name, { http: again, era });
  }

  function reconfigure(proxy: RunningProxy, name: string): void {
    config[name] = { ...config[name], timeout: `${30 + (turn % 60)}s`, ...envOf(config[name]!, turn) };
    writeFileSync(proxy.configFile, JSON.stringify({ ...base, mcpServers: config }));
  }

  return {
    config,
    names,
    readTool: (name) => `${name}:${remote.has(name) ? 'echo' : 'read_only'}`,
    isDisturbed(name, began) {
      const at = touched.get(name);
      return at !== undefined && began < at + RECOVERY_MS;
    },
    disturbances: () => turn,
    async disturb(proxy) {
      const name = names[(turn * 7) % names.length]!;
      touched.set(name, performance.now());
      const way = turn++ % 3;
      if (way === 0) await proxy.rest.request('restartServer', { name });
      else if (way === 1) reconfigure(proxy, name);
      else if (remote.has(name)) await restartRemote(name);
      else {
        const { pid } = await proxy.rest.request('getServer', { name });
        if (pid !== undefined) process.kill(pid, 'SIGKILL');
      }
      touched.set(name, performance.now());
    },
    stop: async () => void (await Promise.all([...remote.values()].map(({ http }) => http.stop()))),
  };
}

/** Only a process can have another environment. */
function envOf({ command }: ServerConfig, turn: number): Partial<ServerConfig> {
  return command === undefined ? {} : { env: { TURN: String(turn) } };
}
