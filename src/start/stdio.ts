import type { Place } from '../cli/runtime.ts';
import { readApiKey } from '../config/api-key.ts';
import { createLog } from '../lib/log.ts';
import { bridgeStdio } from '../mcp/bridge.ts';
import { serveMcpStdio } from '../mcp/stdio.ts';
import { startDaemon } from './daemon.ts';
import { holdOrFind } from './hold-or-find.ts';
import { openInstallation } from './place.ts';
import { untilSignal } from './until-signal.ts';

/**
 * `mcpproxy stdio`: MCP over stdin and stdout. Several clients may each start one on the same data directory: the first holds it and
 * listens on a free port, the others pass their messages on to whoever holds it.
 */
export async function stdio(options: Place): Promise<number> {
  const log = createLog('warn', { pretty: false });
  const place = openInstallation(options, { watch: true, log });
  const held = await holdOrFind(place.dataDir);
  const streams = { input: process.stdin, output: process.stdout };
  if ('url' in held) {
    const apiKey = readApiKey({ dataDir: place.dataDir, config: place.config.current() });
    await place.config.close();
    await Promise.race([bridgeStdio({ url: held.url, apiKey, log, ...streams }), untilSignal()]);
    return 0;
  }
  const daemon = await startDaemon(place, { listen: '127.0.0.1:0', log, lock: held.lock });
  await Promise.race([
    serveMcpStdio(daemon.app.mcp, { ...streams, onToolsChanged: daemon.app.onToolsChanged }),
    untilSignal(),
  ]);
  await daemon.stop();
  return 0;
}
