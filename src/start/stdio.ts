import type { Place } from '../doors/cli/runtime.ts';
import { findApiKey, readApiKey } from '../config/index.ts';
import { createLog, type Log } from '../lib/log.ts';
import { relayStdio, serveMcpStdio } from '../doors/mcp/index.ts';
import { agentToken } from './agent-token.ts';
import { startDaemon } from './daemon.ts';
import { findDaemon, holdOrFind } from './hold-or-find.ts';
import { openOrSalvage, type Salvaged } from './place.ts';
import { stopWithin } from './stop-within.ts';
import { untilSignal } from './until-signal.ts';

const STREAMS = { input: process.stdin, output: process.stdout };

/**
 * `mcpproxy stdio`: MCP over stdin and stdout. Several clients may each start one on the same data directory: the first locks it and
 * listens on a free port, the others relay their messages to that process. With an agent token the messages always pass the HTTP door,
 * also within one process, so that tokens are checked in one place.
 */
export async function stdio(options: Place): Promise<number> {
  const log = createLog('warn', { pretty: false });
  const token = agentToken(process.env);
  if (options.url) return relay(options.url, token ?? keyFor(options, log), log);
  const place = openOrSalvage(options, { watch: true, log });
  if ('invalid' in place) return relayDespite(place, token, log);
  const held = await holdOrFind(place.dataDir);
  if ('url' in held) {
    const key = token ?? readApiKey({ dataDir: place.dataDir, config: place.config.current() });
    await place.config.close();
    return relay(held.url, key, log);
  }
  const daemon = await startDaemon(place, { listen: '127.0.0.1:0', log, lock: held.lock });
  const { mcp, onToolsChanged } = daemon.app;
  // A client may call a tool immediately after its handshake.
  await daemon.connecting;
  if (token === undefined)
    await Promise.race([serveMcpStdio(mcp, { ...STREAMS, onToolsChanged }), untilSignal()]);
  else await relay(daemon.url, token, log);
  await stopWithin(() => daemon.stop(), { log });
  return 0;
}

async function relay(url: string, apiKey: string | undefined, log: Log): Promise<number> {
  const credential = apiKey === undefined ? {} : { apiKey };
  await Promise.race([relayStdio({ url, ...credential, log, ...STREAMS }), untilSignal()]);
  return 0;
}

/** The configuration file is invalid, but a daemon is already running. */
async function relayDespite(
  { invalid, ...place }: Salvaged,
  token: string | undefined,
  log: Log,
): Promise<number> {
  const url = await findDaemon(place.dataDir);
  if (!url) throw invalid;
  log.warn(`the configuration file is invalid; the running mcpproxy at ${url} is used: ${invalid.message}`);
  return relay(url, token ?? findApiKey(place), log);
}

function keyFor(options: Place, log: Log): string | undefined {
  const place = openOrSalvage(options, { watch: false, log });
  if ('invalid' in place) return findApiKey(place);
  return findApiKey({ dataDir: place.dataDir, config: place.config.current() });
}
