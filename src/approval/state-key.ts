import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ProxyError } from '../contract/errors.ts';

const FILE = 'approval-key';
const BYTES = 32;

export interface StateKey {
  /** Seals what clients carry for us. */
  key: Buffer;
  /** Names this installation among those on one database. It tells nothing of the key. */
  instance: string;
}

/** The secret of the data directory, made on first use and readable by its owner alone. */
export function openStateKey(dataDir: string): StateKey {
  const file = join(dataDir, FILE);
  if (!existsSync(file)) create(file);
  const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64url');
  if (key.length !== BYTES) {
    throw new ProxyError(
      'CONFIG_INVALID',
      `${file} does not hold a key of ${BYTES} bytes; move it away, and a new one is made`,
      { file },
    );
  }
  return { key, instance: createHash('sha256').update('instance').update(key).digest('hex').slice(0, 16) };
}

function create(file: string): void {
  try {
    const handle = openSync(file, 'wx', 0o600);
    writeSync(handle, `${randomBytes(BYTES).toString('base64url')}\n`);
    fsyncSync(handle);
    closeSync(handle);
    chmodSync(file, 0o600);
  } catch (error) {
    // Another process made it in the same moment: then that one is the key.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
