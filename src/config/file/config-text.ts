import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { ProxyError } from '../../contract/errors.ts';
import { fileProblem } from '../../lib/visible-text.ts';

const MAX_BYTES = 4 * 1024 * 1024;

/** The exact text of the file. Throws where another user can write to it. */
export function readConfigText(file: string): string {
  let handle: number;
  try {
    // Opening a pipe would otherwise block.
    handle = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    throw unreadable(file, `cannot be read: ${fileProblem(error)}`);
  }
  try {
    // Checks the open file, not the name, which could be replaced in between.
    const stat = fstatSync(handle);
    if (!stat.isFile()) throw unreadable(file, 'is not a file');
    if (stat.size > MAX_BYTES) throw unreadable(file, `is larger than ${MAX_BYTES} bytes`);
    if (process.platform !== 'win32' && (stat.mode & 0o022) !== 0) {
      throw unreadable(
        file,
        `can be written by other users, who could start programs through it; run: chmod go-w '${file}'`,
      );
    }
    if (isForeign(stat.uid, statSync(dirname(realpathSync(file))).uid)) {
      throw unreadable(
        file,
        `belongs to another user, who could start programs through it; review it, then run: chown ${process.getuid!()} '${file}'`,
      );
    }
    return readFileSync(handle, 'utf8');
  } finally {
    closeSync(handle);
  }
}

/**
 * The owner of a file can write to it, whatever its mode, and in a shared directory anybody can create one. Root may use a file that
 * belongs to the owner of its directory, as in containers and with sudo.
 */
export function isForeign(owner: number, ownerOfDirectory: number, self = process.getuid?.()): boolean {
  if (self === undefined || owner === self || owner === 0) return false;
  return self !== 0 || owner !== ownerOfDirectory;
}

export function unreadable(file: string, why: string): ProxyError {
  return new ProxyError('CONFIG_INVALID', `${file} ${why}`, { file });
}
