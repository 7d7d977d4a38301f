import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { ProxyError } from '../../contract/errors.ts';
import { newId } from '../../lib/clock.ts';
import { visibleLine } from '../../lib/visible-text.ts';
import { daemonFile, readDaemon, readLiveDaemon, type Daemon } from './daemon-file.ts';
import { startOf } from './process-identity.ts';

export interface DataDirLock {
  readonly cliSecret: string;
  /** Tells others where this process listens, and which configuration it uses. */
  publish(found: Required<Pick<Daemon, 'url' | 'config'>>): void;
  /** This process is about to end: others no longer find it, and wait for the lock. */
  withdraw(): void;
  release(): void;
}

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

/** Allows one process per data directory. The lock of a dead process is replaced. */
export function lockDataDir(dir: string, kind: Pick<Daemon, 'background'> = {}): DataDirLock {
  ensureDataDir(dir);
  const file = daemonFile(dir);
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
