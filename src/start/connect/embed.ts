import { existsSync } from 'node:fs';
import type { Connection, How, Place } from '../../doors/cli/index.ts';
import { findApiKey, type DataDirLock } from '../../config/index.ts';
import { createClient, type Fetch } from '../../contract/routes/client.ts';
import { ProxyError } from '../../contract/errors.ts';
import { TOKEN_PREFIX } from '../../contract/token.ts';
import { parseExact } from '../../json/index.ts';
import { newId } from '../../lib/clock.ts';
import { createLog, type Log } from '../../lib/log.ts';
import { namedKey } from './credential.ts';
import { findDaemon, holdOrFind } from './hold-or-find.ts';
import { openOrSalvage, readOrSalvage, type Found, type Installation, type Salvaged } from '../place.ts';
import { CLIENT, toDaemon } from './to-daemon.ts';
import { VERSION } from '../version.ts';

/** Looks for a daemon with all that may decide, and starts its parts in this process where there is none. */
export async function findOrEmbed(options: Place, how: How, signal: AbortSignal): Promise<Connection> {
  if (how === 'daemon' || how === 'daemon-or-files' || how === 'daemon-or-preview')
    return withoutWriting(options, how, signal);
  const log = createLog('error');
  const place = openOrSalvage(options, { watch: false, log });
  if ('invalid' in place) return toDaemonDespite(place, options, signal);
  const location = { dataDir: place.dataDir, config: place.config.current() };
  const key = namedKey(options, location);
  if (options.url) return toDaemon(options.url, key ?? findApiKey(location));
  const held = await holdOrFind(place.dataDir, { signal });
  if ('url' in held) return toDaemon(held.url, key, place.dataDir);
  if (key?.startsWith(TOKEN_PREFIX)) {
    held.lock.release();
    throw onlyAnAgent();
  }
  return embedded(place, { log, signal, lock: held.lock, connectServers: how === 'daemon-or-embedded' });
}

/** An invalid configuration file must not prevent access to a running daemon. Without a daemon it is an error. */
async function toDaemonDespite(
  { invalid, ...place }: Salvaged,
  options: Place,
  signal: AbortSignal,
): Promise<Connection> {
  const url = options.url ?? (await findDaemon(place.dataDir, signal));
  if (!url) throw invalid;
  const [first] = invalid.message.split('\n');
  const key = namedKey(options, place);
  return {
    ...(options.url ? toDaemon(url, key ?? findApiKey(place)) : toDaemon(url, key, place.dataDir)),
    warning: `the configuration file is invalid; the running mcpproxy at ${url} is used with the configuration that it has. ${first}. Fix the file, then check it with "mcpproxy config validate".`,
  };
}

function onlyAnAgent(): ProxyError {
  return new ProxyError(
    'TOKEN_NOT_ALLOWED',
    'An agent token gives access to /mcp of a running daemon and, if its scope includes it, to the task assistant. To act as operator, use the operator key',
  );
}

/** No configuration, lock or database is created or written: a daemon has its own, evidence must not change, and a dry run changes nothing. */
async function withoutWriting(
  options: Place,
  how: 'daemon' | 'daemon-or-files' | 'daemon-or-preview',
  signal: AbortSignal,
): Promise<Connection> {
  const place = readOrSalvage(options);
  if ('invalid' in place) return toDaemonDespite(place, options, signal);
  const key = namedKey(options, place);
  if (options.url) return toDaemon(options.url, key ?? findApiKey(place));
  const url = await findDaemon(place.dataDir, signal);
  if (url) return toDaemon(url, key, place.dataDir);
  if (how === 'daemon')
    throw new ProxyError(
      'NO_DAEMON',
      `No mcpproxy runs on ${place.dataDir}. Start it with "mcpproxy serve"`,
      { data_dir: place.dataDir },
    );
  if (key?.startsWith(TOKEN_PREFIX)) throw onlyAnAgent();
  return toFiles(place, how);
}

async function toFiles(place: Found, how: 'daemon-or-files' | 'daemon-or-preview'): Promise<Connection> {
  const { readingFiles } = await import('../read-files.ts');
  const ended = new AbortController();
  const { fetch, close } = readingFiles(place, { ended: ended.signal, log: createLog('error') });
  return {
    client: createClient({ url: 'http://files', apiKey: '', client: CLIENT, fetch, parse: parseExact }),
    embedded: true,
    where: 'in-process',
    ...(how === 'daemon-or-files' && noLogYet(place)),
    async close() {
      ended.abort();
      await close();
    },
  };
}

/** A mistyped directory would otherwise look like an empty log. */
function noLogYet({ database }: Found): Pick<Connection, 'warning'> {
  if ('url' in database || existsSync(database.file)) return {};
  return { warning: `There is no log yet: ${database.file} does not exist. Check --data-dir.` };
}

interface EmbeddedOptions {
  log: Log;
  signal: AbortSignal;
  lock: DataDirLock;
  connectServers: boolean;
}

async function embedded(
  place: Installation,
  { log, signal, lock, connectServers }: EmbeddedOptions,
): Promise<Connection> {
  try {
    // Loaded on demand: loading takes most of the time of a short command.
    const { createApp } = await import('../../app.ts');
    const app = await createApp({ ...place, version: VERSION, log, listen: () => null });
    const close = async () => {
      await app.close();
      lock.release();
    };
    if (connectServers)
      await Promise.race([app.connect().then(() => app.upstreams.settled()), aborted(signal)]);
    const visitor = {
      principal: 'operator',
      userId: 'local',
      via: 'cli' as const,
    };
    const fetch: Fetch = (request) => app.rest(request, { ...visitor, requestId: newId() });
    const client = createClient({
      url: 'http://in-process',
      apiKey: '',
      client: CLIENT,
      fetch,
      parse: parseExact,
    });
    return { client, embedded: true, where: 'in-process', close };
  } catch (error) {
    lock.release();
    throw error;
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
