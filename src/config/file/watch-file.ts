import { statSync, type BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';

const POLL_MS = 500;

/**
 * Polls the file, because file events miss a replaced link, a replaced file or a network file system. A file that is read half-written is
 * invalid until the next poll. `reread` returns whether the file was valid.
 */
export function watchFile(file: string, reread: () => boolean, everyMs = POLL_MS): () => void {
  /** Of the file as it was read last; undefined: read it at the next poll. */
  let read: string | undefined;
  let isLooking = false;
  const look = async () => {
    if (isLooking) return;
    isLooking = true;
    const now = await stat(file, { bigint: true }).then(versionOf, errorCode);
    isLooking = false;
    if (now === read) return;
    read = versionNow(file);
    // It came back between the two: whether it goes again could not be told from the version.
    if (reread() && read === MISSING) read = undefined;
  };
  const timer = setInterval(() => void look(), everyMs).unref();
  return () => clearInterval(timer);
}

const MISSING = 'ENOENT';
const errorCode = (error: NodeJS.ErrnoException): string => error.code ?? error.message;
/** The time of the last change covers the mode and the owner too. */
const versionOf = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string =>
  `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;

function versionNow(file: string): string {
  try {
    return versionOf(statSync(file, { bigint: true }));
  } catch (error) {
    return errorCode(error as NodeJS.ErrnoException);
  }
}
