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

interface WriteOptions {
  /** Where the text is written first: a caller that knows the name can remove what a killed process has left. */
  temporary?: string;
  mode: number;
}

/**
 * Replaces a file atomically, also across a crash, and keeps its owner. A symbolic link stays: its target is replaced. With a mode, the file
 * may be new; root makes it for the owner of its folder.
 */
export function writeFileAtomically(path: string, text: string, wanted?: number | WriteOptions): void {
  const options = typeof wanted === 'number' ? { mode: wanted } : wanted;
  const file = targetOf(path, options !== undefined);
  const temporary = options?.temporary ?? temporaryFor(file);
  const before = statSync(file, { throwIfNoEntry: false });
  const mode = options?.mode ?? before!.mode & 0o777;
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

const targetOf = (path: string, mayBeNew: boolean): string =>
  mayBeNew && !existsSync(path) ? path : realpathSync(path);

/** A free name in the folder that the file really is in, which may be new. */
export function temporaryFor(path: string): string {
  return join(dirname(targetOf(path, true)), `.${newId()}.tmp`);
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
