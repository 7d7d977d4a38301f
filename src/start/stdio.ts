import type { Place } from '../doors/cli/runtime.ts';
import { findApiKey } from '../config/index.ts';
import { createLog, type Log } from '../lib/log.ts';
import { relayStdio, serveMcpStdio } from '../doors/mcp/index.ts';
import { agentToken } from './connect/agent-token.ts';
import { namedKey } from './connect/credential.ts';
import { startDaemon } from './daemon.ts';
import { findDaemon, holdOrFind } from './connect/hold-or-find.ts';
import { openOrSalvage, type Salvaged } from './place.ts';
import { stopWithin } from './stop-within.ts';
import { commandHeaders } from './connect/to-daemon.ts';
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
  if (options.url) return relay(options.url, withKey(token ?? keyFor(options, log)), log);
  const place = openOrSalvage(options, { watch: true, log });
  if ('invalid' in place) return relayDespite(place, options, log);
  const held = await holdOrFind(place.dataDir);
  if ('url' in held) {
    const { dataDir, config } = place;
    const key = token ?? namedKey(options, { dataDir, config: config.current() });
    await config.close();
    return relay(held.url, withKey(key, dataDir), log);
  }
  const daemon = await startDaemon(place, { listen: '127.0.0.1:0', log, lock: held.lock });
  const { mcp, onListChanged } = daemon.app;
  // A client may call a tool immediately after its handshake.
  await daemon.connecting;
  if (token === undefined)
    await Promise.race([serveMcpStdio(mcp, { ...STREAMS, onListChanged }), untilSignal()]);
  else await relay(daemon.url, withKey(token), log);
  await stopWithin(() => daemon.stop(), { log });
  return 0;
}

type Credential = () => Record<string, string>;

/** The key, or what a command of this data directory presents. */
function withKey(key: string | undefined, dataDir?: string): Credential {
  if (key !== undefined) return () => ({ 'x-api-key': key });
  return () => (dataDir === undefined ? {} : commandHeaders(dataDir));
}

async function relay(url: string, credential: Credential, log: Log): Promise<number> {
  await Promise.race([relayStdio({ url, credential, log, ...STREAMS }), untilSignal()]);
  return 0;
}

/** The configuration file is invalid, but a daemon is already running. */
async function relayDespite({ invalid, ...place }: Salvaged, options: Place, log: Log): Promise<number> {
  const url = await findDaemon(place.dataDir);
  if (!url) throw invalid;
  log.warn(`the configuration file is invalid; the running mcpproxy at ${url} is used: ${invalid.message}`);
  const key = agentToken(process.env) ?? namedKey(options, place);
  return relay(url, withKey(key, place.dataDir), log);
}

function keyFor(options: Place, log: Log): string | undefined {
  const place = openOrSalvage(options, { watch: false, log });
  if ('invalid' in place) return findApiKey(place);
  return findApiKey({ dataDir: place.dataDir, config: place.config.current() });
}
