import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { ProxyError } from '../../contract/errors.ts';
import { newId } from '../../lib/clock.ts';
import { visibleLine } from '../../lib/visible-text.ts';

export interface ProcessIdentity {
  pid: number;
  /** The start time of the process, where the system reports it: another program may reuse the process id. */
  started?: string;
}

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

export interface DataDirLock {
  readonly cliSecret: string;
  /** Tells others where this process listens, and which configuration it uses. */
  publish(found: Required<Pick<Daemon, 'url' | 'config'>>): void;
  /** This process is about to end: others no longer find it, and wait for the lock. */
  withdraw(): void;
  release(): void;
}

const NAME = 'daemon.json';

export function ensureDataDir(dir: string): void {
  withWriteError(dir, () => mkdirSync(dir, { recursive: true, mode: 0o700 }));
  if (process.platform === 'win32') return;
  const [self, stat] = [process.getuid!(), statSync(dir)];
  if (stat.uid !== self) throw foreign(dir, `belongs to another user (${stat.uid})`);
  if ((stat.mode & 0o077) === 0) return;
  // Others could put files here until now, such as keys that they know.
  const planted =
    (stat.mode & 0o022) === 0
      ? undefined
      : readdirSync(dir).find((name) => lstatSync(join(dir, name)).uid !== self);
  if (planted !== undefined)
    throw foreign(dir, `was open to others, and '${visibleLine(planted)}' in it belongs to another user`);
  chmodSync(dir, 0o700);
}

function foreign(dir: string, why: string): ProxyError {
  const message = `The data directory ${dir} ${why}, who could change keys and records in it. Choose another directory with --data-dir, or review it and then run: chown -R ${process.getuid!()} '${dir}'`;
  return new ProxyError('CONFIG_INVALID', message, { dir });
}

/** The process that uses the directory, if it is alive. */
export function readDaemon(dir: string): Daemon | null {
  return readLiveDaemon(join(dir, NAME));
}

/** Null also for a damaged file, as a power failure may leave it. */
function readLiveDaemon(file: string): Daemon | null {
  try {
    const daemon = JSON.parse(readFileSync(file, 'utf8')) as Daemon;
    return isAlive(daemon) ? daemon : null;
  } catch {
    return null;
  }
}

/** Allows one process per data directory. The lock of a dead process is replaced. */
export function lockDataDir(dir: string, kind: Pick<Daemon, 'background'> = {}): DataDirLock {
  ensureDataDir(dir);
  const file = join(dir, NAME);
  const cliSecret = randomBytes(24).toString('base64url');
  const me: Daemon = { pid: process.pid, ...startOf(process.pid), cli_secret: cliSecret, ...kind };
  let isEnding = false;
  for (let attempt = 0; !withWriteError(dir, () => createExclusively(file, me)); attempt++) {
    const holder = readDaemon(dir);
    if (holder || attempt === 3) throw inUse(dir, holder);
    discard(file);
  }
  return {
    cliSecret,
    publish(found) {
      if (!isEnding) replace(file, { ...me, ...found });
    },
    withdraw() {
      isEnding = true;
      if (readDaemon(dir)?.pid === process.pid) replace(file, me);
    },
    release() {
      if (readDaemon(dir)?.pid === process.pid) rmSync(file, { force: true });
    },
  };
}

/** Explains a full or read-only disk. */
function withWriteError<T>(dir: string, write: () => T): T {
  try {
    return write();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ProxyError(
      'CONFIG_INVALID',
      `The data directory ${dir} cannot be written (${why}): free some space, correct its permissions, or choose another directory with --data-dir`,
      { dir },
    ).withCause(cause);
  }
}

/** Links a complete file into place: no process can read half a lock. */
function createExclusively(file: string, daemon: Daemon): boolean {
  const temporary = writeBeside(file, daemon);
  try {
    linkSync(temporary, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Renames the lock of a dead process to a unique name and checks it again: only one of two starting processes succeeds, and a live lock is put back. */
function discard(file: string): void {
  const mine = `${file}.${newId()}`;
  try {
    renameSync(file, mine);
  } catch {
    return; // the other process was faster
  }
  if (readLiveDaemon(mine)) renameSync(mine, file);
  else rmSync(mine, { force: true });
}

function replace(file: string, daemon: Daemon): void {
  renameSync(writeBeside(file, daemon), file);
}

function writeBeside(file: string, daemon: Daemon): string {
  const temporary = `${file}.${newId()}`;
  try {
    writeFileSync(temporary, JSON.stringify(daemon), { mode: 0o600 });
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  return temporary;
}

export function isAlive({ pid, started }: ProcessIdentity): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const now = statOf(pid);
  // A process that was killed has its id until its parent notices.
  if (now?.state === 'Z') return false;
  return started === undefined || now === undefined || now.started === started;
}

export function startOf(pid: number): { started?: string } {
  const started = statOf(pid)?.started;
  return started ? { started } : {};
}

/** Fields 3 and 22 of /proc/PID/stat: the state, and the start time in clock ticks since boot. The name in field 2 may contain anything, so count from its end. */
function statOf(pid: number): { state: string | undefined; started: string | undefined } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0], started: fields[19] };
  } catch {
    return undefined;
  }
}

export function isInUse(error: unknown): boolean {
  return error instanceof ProxyError && error.code === 'DATA_DIR_IN_USE';
}

function inUse(dir: string, holder: Daemon | null): ProxyError {
  const who = holder ? ` (process ${holder.pid}${holder.url ? ` at ${holder.url}` : ''})` : '';
  return new ProxyError(
    'DATA_DIR_IN_USE',
    `Another mcpproxy${who} uses the data directory ${dir}; stop it, or choose another directory with --data-dir`,
    { dir, ...(holder && { pid: holder.pid, ...(holder.url && { url: holder.url }) }) },
  );
}
