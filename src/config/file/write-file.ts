import {
  closeSync,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { newId } from '../../lib/clock.ts';

const GROUP = 0o070;

/**
 * Replaces a file atomically, also across a crash, and keeps its owner. A symbolic link stays: its target is replaced. With a mode, the file
 * may be new; root makes it for the owner of its folder.
 */
export function writeFileAtomically(path: string, text: string, wanted?: number): void {
  const file = wanted !== undefined && !existsSync(path) ? path : realpathSync(path);
  const temporary = join(dirname(file), `.${newId()}.tmp`);
  const before = statSync(file, { throwIfNoEntry: false });
  const mode = wanted ?? before!.mode & 0o777;
  const handle = openSync(temporary, 'wx', mode & ~GROUP);
  try {
    try {
      writeFileSync(handle, text);
      fchmodSync(handle, setOwner(handle, before, file) ? mode : mode & ~GROUP);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncDirectory(dirname(file));
}

/** False: the group is another one now, and must not get the rights of the former. */
function setOwner(handle: number, before: Stats | undefined, file: string): boolean {
  const self = process.getuid?.();
  if (self === undefined || (before === undefined && self !== 0)) return true;
  const { uid, gid } = before ?? statSync(dirname(file));
  const now = fstatSync(handle);
  if (now.uid === uid && now.gid === gid) return true;
  try {
    // Only root can give a file to somebody else.
    fchownSync(handle, self === 0 ? uid : now.uid, gid);
    return true;
  } catch {
    return false;
  }
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
