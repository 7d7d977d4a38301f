import { statSync } from 'node:fs';

export interface FileInPlace {
  /** Throws where the name leads to another file than the one that was opened, or to none. */
  check(): void;
  /** Throws where there is none; otherwise what is there now is the one. */
  accept(): void;
}

/**
 * A file that was deleted or replaced can still be written through the handle that is open, and everything written is lost with that
 * handle. So it is looked whether it is still in its place.
 */
export function createFileInPlace(file: string): FileInPlace {
  let opened = identityOf(file);
  return {
    check() {
      if (identityOf(file) !== opened) throw gone(file);
    },
    accept() {
      const now = identityOf(file);
      if (now === undefined) throw gone(file);
      opened = now;
    },
  };
}

function identityOf(file: string): string | undefined {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat && `${stat.dev} ${stat.ino}`;
}

function gone(file: string): Error {
  const message = `${file} was deleted or replaced while it was open: put it back, or restart`;
  return Object.assign(new Error(message), { code: 'FILE_GONE' });
}
