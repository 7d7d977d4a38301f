import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { MIN_KEY_LENGTH, type Config } from '../contract/config.ts';
import { ProxyError } from '../contract/errors.ts';
import { TOKEN_PREFIX } from '../contract/token.ts';
import { resolveSecrets } from './secrets.ts';

interface KeyLocation {
  dataDir: string;
  config: Pick<Config, 'api_key'>;
}

/** The configured key, or the key in the data directory, which is created on first use. */
export function readApiKey({ dataDir, config }: KeyLocation): string {
  const file = join(dataDir, 'api_key');
  if (!config.api_key && !existsSync(file)) createKey(file);
  const key = findApiKey({ dataDir, config })!;
  // Otherwise an agent token in the environment of the proxy would become the operator's key.
  if (key.startsWith(TOKEN_PREFIX))
    throw new ProxyError(
      'CONFIG_INVALID',
      'the API key is an agent token, which must not give access to administration: unset MCPPROXY_API_KEY or remove "api_key" (clients take a token from MCPPROXY_TOKEN)',
    );
  return key;
}

/** The key for requests to a daemon; a client never creates one. */
export function findApiKey({ dataDir, config }: KeyLocation): string | undefined {
  if (config.api_key) return requireLength(resolveSecrets(config.api_key), 'api_key');
  const file = join(dataDir, 'api_key');
  if (!existsSync(file)) return undefined;
  requirePrivateFile(file);
  return requireLength(readFileSync(file, 'utf8').trim(), file);
}

function createKey(file: string): void {
  try {
    const handle = openSync(file, 'wx', 0o600);
    writeSync(handle, `${randomBytes(32).toString('base64url')}\n`);
    fsyncSync(handle);
    closeSync(handle);
    chmodSync(file, 0o600);
  } catch (error) {
    // Another process created it at the same moment: its key counts.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function requirePrivateFile(file: string): void {
  if (process.platform === 'win32' || (statSync(file).mode & 0o077) === 0) return;
  throw new ProxyError('CONFIG_INVALID', `${file} can be read by other users; run: chmod 600 '${file}'`, {
    file,
  });
}

function requireLength(key: string, where: string): string {
  if (key.length >= MIN_KEY_LENGTH) return key;
  throw new ProxyError('CONFIG_INVALID', `the key in ${where} is shorter than ${MIN_KEY_LENGTH} characters`, {
    where,
  });
}
