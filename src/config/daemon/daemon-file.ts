import { lstatSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isForeign } from '../file/config-text.ts';
import { readSmallFile } from '../read-small-file.ts';
import { isAlive, type ProcessIdentity } from './process-identity.ts';

/** The process that uses the data directory. Only the owner can read its file. */
export interface Daemon extends ProcessIdentity {
  /** Its address, once it listens. */
  url?: string;
  /** Random for each start. It authenticates the commands of the owner of this directory. */
  cli_secret?: string;
  /** The configuration file, and a digest of its text when it was last valid. */
  config?: { file: string; digest: string };
  /** True: started by `mcpproxy stdio`. It gives way to `mcpproxy serve`. */
  background?: true;
}

export const daemonFile = (dir: string): string => join(dir, 'daemon.json');

const MAX_BYTES = 64 * 1024;

/** The process that uses the directory, if it is alive. */
export function readDaemon(dir: string): Daemon | null {
  return readLiveDaemon(daemonFile(dir));
}

/**
 * Null also for a damaged file, as a power failure may leave it, and for one that somebody else has put there: commands would send their
 * credentials to the address in it.
 */
export function readLiveDaemon(file: string): Daemon | null {
  try {
    if (isPlanted(file)) return null;
    const daemon = daemonOf(JSON.parse(readSmallFile(file, MAX_BYTES)));
    return daemon && isAlive(daemon) ? daemon : null;
  } catch {
    return null;
  }
}

/** True for a file of another user. Root may use one of the owner of its directory. */
function isPlanted(file: string): boolean {
  return process.platform !== 'win32' && isForeign(lstatSync(file).uid, statSync(dirname(file)).uid);
}

/** As in the room of JSON, which a relay does not need. */
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
const isText = (value: unknown): boolean => typeof value === 'string';
const isAbsentOr = (is: (value: unknown) => boolean) => (value: unknown) => value === undefined || is(value);

const SHAPE: Readonly<Record<keyof Daemon, (value: unknown) => boolean>> = {
  pid: (value) => Number.isSafeInteger(value),
  started: isAbsentOr(isText),
  url: isAbsentOr(isAddress),
  // Characters that a header can have.
  cli_secret: isAbsentOr((value) => typeof value === 'string' && /^[\w-]*$/.test(value)),
  config: isAbsentOr((value) => isObject(value) && isText(value.file) && isText(value.digest)),
  background: isAbsentOr((value) => value === true),
};

function daemonOf(value: unknown): Daemon | undefined {
  if (!isObject(value)) return undefined;
  return Object.entries(SHAPE).every(([key, is]) => is(value[key]))
    ? (value as unknown as Daemon)
    : undefined;
}

function isAddress(url: unknown): boolean {
  if (typeof url !== 'string' || !URL.canParse(url)) return false;
  const { protocol, username, password, pathname, search, hash } = new URL(url);
  return protocol === 'http:' && pathname === '/' && username + password + search + hash === '';
}
