import { createHash } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  createReadStream,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { newId } from '../../lib/clock.ts';

/** Puts a complete file under its final name, on disk, readable only by the owner. */
export function putInPlace(temporary: string, path: string): void {
  chmodSync(temporary, 0o600);
  sync(temporary);
  renameSync(temporary, path);
  sync(dirname(path));
}

/** Writes a small file for its owner alone, atomically. */
export function writePrivately(path: string, content: Uint8Array | string): void {
  const temporary = `${path}.${newId()}.tmp`;
  const handle = openSync(temporary, 'wx', 0o600);
  try {
    writeSync(handle, Buffer.from(content));
  } finally {
    closeSync(handle);
  }
  putInPlace(temporary, path);
}

/** Creates the file empty, so that nobody else can read it while it is written. */
export function createPrivate(path: string): void {
  closeSync(openSync(path, 'wx', 0o600));
}

/** With the files that SQLite may leave beside it. */
export function removeDatabase(path: string): void {
  for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
}

/** Windows syncs no directories. */
function sync(path: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
