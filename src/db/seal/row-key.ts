import { createHash, randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ProxyError } from '../../contract/errors.ts';
import type { Engine } from '../any-database.ts';

const KEY_FILE = 'row-key';
const MARK_FILE = 'row-key-used';
const KEY_BYTES = 32;

/** Undefined where the data directory has none yet. The first one seals; the others are accepted too, as after a change of the key. */
export function readRowKeys(dataDir: string): Buffer[] | undefined {
  const file = join(dataDir, KEY_FILE);
  if (!existsSync(file)) return undefined;
  const lines = readFileSync(file, 'utf8').split('\n');
  const keys = lines.map((line) => line.trim()).filter((line) => line !== '');
  if (keys.length > 0 && keys.every((key) => /^[0-9a-f]{64}$/.test(key)))
    return keys.map((key) => Buffer.from(key, 'hex'));
  throw new ProxyError(
    'CONFIG_INVALID',
    `${file} is damaged: each line must have 64 hexadecimal digits. Restore it from a backup, or copy it from another proxy on the same database`,
    { file },
  );
}

export function newRowKey(): Buffer {
  return randomBytes(KEY_BYTES);
}

/** Returns a function that removes the file again. */
export function writeRowKey(dataDir: string, key: Buffer): () => void {
  const file = join(dataDir, KEY_FILE);
  writeFileSync(file, `${key.toString('hex')}\n`, { flag: 'wx', mode: 0o600, flush: true });
  return () => rmSync(file, { force: true });
}

/** Names a key without revealing it. */
export function keyId(key: Buffer): string {
  return createHash('sha256').update('mcpproxy row key').update(key).digest('hex').slice(0, 16);
}

/**
 * Whether rows of this engine were sealed before: they never are again, whatever the database says, and by whatever name it is reached
 * now.
 */
export function isMarkedSealed(dataDir: string, engine: Engine): boolean {
  const file = join(dataDir, MARK_FILE);
  return existsSync(file) && readFileSync(file, 'utf8').split('\n').includes(engine);
}

export function markSealed(dataDir: string, engine: Engine): void {
  if (isMarkedSealed(dataDir, engine)) return;
  appendFileSync(join(dataDir, MARK_FILE), `${engine}\n`, { mode: 0o600, flush: true });
}

export function keyMissing(dataDir: string, place: string): ProxyError {
  const file = join(dataDir, KEY_FILE);
  return new ProxyError(
    'CONFIG_INVALID',
    `The tokens, approvals, grants and tools in ${place} are sealed with a key that is not in ${file}. Copy the file row-key from the data directory of a proxy that uses this database, or from a backup. If it is lost, see "The row key" in the guide to PostgreSQL`,
    { file, database: place },
  );
}
