import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { newId } from '../../lib/clock.ts';

/** Replaces a file atomically, also across a crash. A symbolic link stays: its target is replaced. With a mode, the file may be new. */
export function writeFileAtomically(path: string, text: string, wanted?: number): void {
  const file = wanted !== undefined && !existsSync(path) ? path : realpathSync(path);
  const temporary = join(dirname(file), `.${newId()}.tmp`);
  const mode = wanted ?? statSync(file).mode & 0o777;
  const handle = openSync(temporary, 'wx', mode);
  try {
    writeSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  try {
    chmodSync(temporary, mode);
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncDirectory(dirname(file));
}

function syncDirectory(dir: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(dir, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
