import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { createClient } from '../../src/contract/routes/client.ts';
import { startDaemon } from '../../src/start/daemon.ts';
import { openInstallation } from '../../src/start/place.ts';
import { shareRowKey } from '../fixtures/row-seal.ts';
import type { RunningProxy, StartOptions } from './start-proxy.ts';

/**
 * The same proxy, with everything real in it, but in the process of the test: most of the time of a start is the start of the process.
 * What depends on the process (signals, exit codes, environment, command line, the web UI, the built files) is tested with `startProxy`.
 */
export async function startHere({
  config = {},
  home,
  waitReady = true,
  rowKey,
}: Omit<StartOptions, 'args' | 'env'> = {}): Promise<RunningProxy> {
  const base = home ?? mkdtempSync(join(tmpdir(), 'mcpproxy-here-'));
  const dataDir = join(base, '.mcpproxy');
  const configFile = join(base, 'mcp_config.json');
  if (home === undefined) writeFileSync(configFile, JSON.stringify(config, null, 2), { mode: 0o600 });
  if (rowKey !== undefined) shareRowKey(dataDir, rowKey);
  const lines: string[] = [];
  const log = pino(
    { level: 'info', base: null, formatters: { level: (label) => ({ level: label }) } },
    { write: (line) => void lines.push(line) },
  );
  const place = openInstallation({ config: configFile, dataDir }, { watch: true, log });
  const daemon = await startDaemon(place, { listen: '127.0.0.1:0', log });
  const key = readFileSync(join(dataDir, 'api_key'), 'utf8').trim();
  if (waitReady) await daemon.app.upstreams.settled();
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= daemon.stop());
  return {
    url: daemon.url,
    key,
    home: base,
    dataDir,
    configFile,
    place: ['--config', configFile, '--data-dir', dataDir],
    pid: process.pid,
    rest: createClient({ url: daemon.url, apiKey: key, client: 'e2e' }),
    stderr: () => lines.join(''),
    async stop(signal = 'SIGTERM') {
      if (signal !== 'SIGTERM') throw new Error(`only a process can end by ${signal}: use startProxy`);
      await stop();
      return 0;
    },
    async dispose() {
      await stop();
      rmSync(base, { recursive: true, force: true });
    },
  };
}
