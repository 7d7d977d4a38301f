import type { Connection } from '../../doors/cli/index.ts';
import { readDaemon } from '../../config/daemon/index.ts';
import { CLI_HEADER, createClient } from '../../contract/routes/client.ts';
import { parseExact } from '../../json/index.ts';
import { createHttpSender } from './send-http.ts';
import { VERSION } from '../version.ts';

export const CLIENT = `cli/${VERSION}`;

/** `dataDir`: of the daemon, where it was found there. */
export function toDaemon(url: string, key: string | undefined, dataDir?: string): Connection {
  const { send, close } = createHttpSender(() =>
    dataDir === undefined ? {} : commandHeaders(daemonAt({ url, dataDir })),
  );
  return {
    client: createClient({ url, apiKey: key ?? '', client: CLIENT, send, parse: parseExact }),
    embedded: false,
    where: url,
    close: async () => close(),
  };
}

/**
 * Shows that a request comes from a command of the owner of the data directory. It suffices where no key is named: the key in the file
 * may have changed since the daemon started. Read for each request, because each start of the daemon has another secret, and only for the
 * address of the daemon: another program may have taken the address of one that ended.
 */
function commandHeaders(daemon: ReturnType<typeof daemonAt>): Record<string, string> {
  const secret = daemon?.cli_secret;
  return secret === undefined ? {} : { [CLI_HEADER]: secret };
}

/** The same for each request of a relay, with the key or token that was named for it. Undefined: that daemon is no longer there. */
export function relayHeaders(
  place: DaemonAddress,
  key: string | undefined,
): Record<string, string> | undefined {
  // Read once: it may end at any moment, and a request without its secret would be rejected instead of sent to the next one.
  const daemon = daemonAt(place);
  if (!daemon) return undefined;
  return key === undefined ? commandHeaders(daemon) : { 'x-api-key': key };
}

interface DaemonAddress {
  url: string;
  dataDir: string;
}

/** The daemon of the data directory, if it is alive and listens at this address. */
function daemonAt({ url, dataDir }: DaemonAddress) {
  const daemon = readDaemon(dataDir);
  return daemon?.url === url ? daemon : undefined;
}
