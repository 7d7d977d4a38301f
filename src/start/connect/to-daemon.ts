import type { Connection } from '../../doors/cli/runtime.ts';
import { readDaemon } from '../../config/data-dir.ts';
import { CLI_HEADER, createClient } from '../../contract/routes/client.ts';
import { parseExact } from '../../json/index.ts';
import { createHttpSender } from './send-http.ts';
import { VERSION } from '../version.ts';

export const CLIENT = `cli/${VERSION}`;

/** `dataDir`: of the daemon, where it was found there. */
export function toDaemon(url: string, key: string | undefined, dataDir?: string): Connection {
  const { send, close } = createHttpSender(() => (dataDir === undefined ? {} : commandHeaders(dataDir)));
  return {
    client: createClient({ url, apiKey: key ?? '', client: CLIENT, send, parse: parseExact }),
    embedded: false,
    where: url,
    close: async () => close(),
  };
}

/**
 * Shows that a request comes from a command of the owner of the data directory. It suffices where no key is named: the key in the file
 * may have changed since the daemon started. Read for each request, because each start of the daemon has another secret.
 */
export function commandHeaders(dataDir: string): Record<string, string> {
  const secret = readDaemon(dataDir)?.cli_secret;
  return secret === undefined ? {} : { [CLI_HEADER]: secret };
}
