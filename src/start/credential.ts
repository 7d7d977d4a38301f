import type { Place } from '../doors/cli/runtime.ts';
import { findApiKey, readDaemon, type DaemonLocation } from '../config/index.ts';
import { CLI_HEADER } from '../contract/routes/client.ts';
import { agentToken } from './agent-token.ts';

/**
 * The key or token that somebody chose for this command. An agent token in the environment takes precedence over the key in a file, so
 * that nobody acts as operator by accident.
 */
export function namedKey({ apiKey }: Place, place: DaemonLocation): string | undefined {
  const isNamed = Boolean(apiKey ?? process.env.MCPPROXY_API_KEY);
  return isNamed ? findApiKey(place) : agentToken(process.env);
}

/**
 * Shows that a request comes from a command of the owner of the data directory. It suffices where no key is named: the key in the file
 * may have changed since the daemon started. Read for each request, because each start of the daemon has another secret.
 */
export function commandHeaders(dataDir: string): Record<string, string> {
  const secret = readDaemon(dataDir)?.cli_secret;
  return secret === undefined ? {} : { [CLI_HEADER]: secret };
}
