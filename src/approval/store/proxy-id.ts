import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ProxyError } from '../../contract/errors.ts';

const FILE = 'proxy-id';

/** Names the proxy of this data directory among those on one database, also after a restart. Made on first use; no secret. */
export function readProxyId(dataDir: string): string {
  const file = join(dataDir, FILE);
  if (!existsSync(file)) create(file);
  const id = readFileSync(file, 'utf8').trim();
  if (/^[0-9a-f]{16}$/.test(id)) return id;
  throw new ProxyError('CONFIG_INVALID', `${file} is damaged; remove it, and a new one is made`, { file });
}

function create(file: string): void {
  try {
    writeFileSync(file, `${randomBytes(8).toString('hex')}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    // Another process made it in the same moment: then that one counts.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
