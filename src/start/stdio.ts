import type { Place } from '../doors/cli/index.ts';
import { announceClient, findRunning } from '../config/daemon/index.ts';
import { createLineLog, relayStdio, type LineLog } from '../doors/mcp/relay/index.ts';
import { agentToken } from './connect/agent-token.ts';
import { spawnDaemon, withoutToken, type Located } from './connect/spawn-daemon.ts';
import { relayHeaders } from './connect/to-daemon.ts';
import { untilSignal } from './until-signal.ts';

const STREAMS = { input: process.stdin, output: process.stdout };

/**
 * `mcpproxy stdio`: relays MCP over stdin and stdout to the daemon of the data directory. Where none runs, one is started in the
 * background; it ends some time after the last client. With an agent token the daemon checks each message like any other of that token.
 */
export async function stdio(options: Place): Promise<number> {
  const log = createLineLog();
  const token = agentToken(process.env);
  if (options.url) {
    await run({ url: options.url, credential: await credentialFor(options, options.url, token), log });
    return 0;
  }
  const find = () => locate(options, log);
  let { url, dataDir } = await find();
  const key = token ?? (await namedKey(options, dataDir));
  const leave = announceClient(dataDir);
  try {
    await run({
      url,
      credential: () => relayHeaders({ url, dataDir }, key),
      find: async () => {
        ({ url, dataDir } = await find());
        return url;
      },
      log,
    });
  } finally {
    leave();
  }
  return 0;
}

/** For a daemon that is given by its address. The one of this data directory needs no key, and so no configuration is read. */
async function credentialFor(
  options: Place,
  url: string,
  token: string | undefined,
): Promise<() => Record<string, string> | undefined> {
  const own = token === undefined ? findRunning(options, process.env) : undefined;
  if (own && own.key === undefined && own.url === originOf(url)) return () => relayHeaders(own, undefined);
  const key = token ?? (await keyFor(options));
  const headers: Record<string, string> = key === undefined ? {} : { 'x-api-key': key };
  return () => headers;
}

const originOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).origin : undefined);

async function run(options: Omit<Parameters<typeof relayStdio>[0], 'input' | 'output'>): Promise<void> {
  await Promise.race([relayStdio({ ...options, ...STREAMS }), untilSignal()]);
}

/** The daemon that runs, or a new one. */
async function locate(options: Place, log: LineLog): Promise<Located> {
  const found: Located = findRunning(options, withoutToken(process.env)) ?? (await spawnDaemon(options));
  if (found.warning !== undefined)
    log.warn(
      {},
      `the configuration file is invalid; the running mcpproxy at ${found.url} is used: ${found.warning}`,
    );
  return found;
}

/** Only where the environment names a key: everything else is in the file of the daemon. */
async function namedKey(options: Place, dataDir: string): Promise<string | undefined> {
  if (!process.env.MCPPROXY_API_KEY) return undefined;
  const credential = await import('./connect/credential.ts');
  return credential.namedKey(options, { dataDir, config: { api_key: process.env.MCPPROXY_API_KEY } });
}

async function keyFor(options: Place): Promise<string | undefined> {
  return (await import('./connect/credential.ts')).keyFor(options);
}
