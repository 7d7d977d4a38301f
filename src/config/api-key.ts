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
import type { Config } from '../contract/config.ts';
import { ProxyError } from '../contract/errors.ts';
import { TOKEN_PREFIX } from '../contract/token.ts';
import { resolveSecrets } from './secrets.ts';

const MIN_LENGTH = 16;

interface Place {
  dataDir: string;
  config: Pick<Config, 'api_key'>;
}

/** The configured key, else the one in the data directory; made on first use. */
export function readApiKey({ dataDir, config }: Place): string {
  const file = join(dataDir, 'api_key');
  if (!config.api_key && !existsSync(file)) createKey(file);
  const key = findApiKey({ dataDir, config })!;
  // Else an agent's token in the environment of whoever starts the proxy would become the operator's key.
  if (key.startsWith(TOKEN_PREFIX))
    throw new ProxyError(
      'CONFIG_INVALID',
      'the API key is the token of an agent, which must not open administration: unset MCPPROXY_API_KEY or remove "api_key" (clients take a token as MCPPROXY_TOKEN)',
    );
  return key;
}

/** The key to show to a daemon; a client makes none of its own. */
export function findApiKey({ dataDir, config }: Place): string | undefined {
  if (config.api_key) return long(resolveSecrets(config.api_key), 'api_key');
  const file = join(dataDir, 'api_key');
  if (!existsSync(file)) return undefined;
  refuseOpenFile(file);
  return long(readFileSync(file, 'utf8').trim(), file);
}

function createKey(file: string): void {
  try {
    const handle = openSync(file, 'wx', 0o600);
    writeSync(handle, `${randomBytes(32).toString('base64url')}\n`);
    fsyncSync(handle);
    closeSync(handle);
    chmodSync(file, 0o600);
  } catch (error) {
    // Another process made it in the same moment: then that one is the key.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function refuseOpenFile(file: string): void {
  if (process.platform === 'win32' || (statSync(file).mode & 0o077) === 0) return;
  throw new ProxyError('CONFIG_INVALID', `${file} can be read by other users; run: chmod 600 '${file}'`, {
    file,
  });
}

function long(key: string, where: string): string {
  if (key.length >= MIN_LENGTH) return key;
  throw new ProxyError('CONFIG_INVALID', `the key in ${where} is shorter than ${MIN_LENGTH} characters`, {
    where,
  });
}
