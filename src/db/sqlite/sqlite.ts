import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseSync, type DatabaseSyncInstance, type StatementSyncInstance } from '@photostructure/sqlite';
import { ProxyError } from '../../contract/errors.ts';

type DriverStatement = Pick<StatementSyncInstance, 'run' | 'get' | 'all' | 'iterate' | 'columns'>;

/** What is needed of the driver's connection. */
export interface SqliteHandle {
  readonly isOpen: boolean;
  readonly isTransaction: boolean;
  prepare(sql: string, options?: { returnArrays?: boolean }): DriverStatement;
  exec(sql: string): void;
  close(): void;
}

export interface Statement extends DriverStatement {
  /** As `run`, without the result: to make that object costs as much as inserting a small row. */
  put(...values: Array<string | number | null>): void;
}

/** The one connection of the process. Statements stay valid when it is reopened. */
export interface Sqlite extends SqliteHandle {
  prepare(sql: string, options?: { returnArrays?: boolean }): Statement;
}

export interface ReopenableSqlite extends Sqlite {
  /** Gives the handle up, whatever state it is in, and opens another. */
  reopen(): void;
}

/**
 * After a write that the disk did not confirm, nobody knows what the old handle believes to be stored. So it is given up, and every
 * statement prepares itself again on the next one.
 */
export function createReopenable(open: () => SqliteHandle): ReopenableSqlite {
  let handle = open();
  let generation = 0;

  function prepare(sql: string, options: { returnArrays?: boolean } = {}): Statement {
    let [own, made] = [handle.prepare(sql, options), generation];
    const current = () => {
      if (made !== generation) [own, made] = [handle.prepare(sql, options), generation];
      return own;
    };
    return {
      run: (...values) => current().run(...values),
      put: (...values) => void current().get(...values),
      get: (...values) => current().get(...values) as unknown,
      all: (...values) => current().all(...values),
      iterate: (...values) => current().iterate(...values),
      columns: () => current().columns(),
    };
  }

  return {
    get isOpen() {
      return handle.isOpen;
    },
    get isTransaction() {
      return handle.isTransaction;
    },
    prepare,
    exec: (sql) => handle.exec(sql),
    close: () => handle.close(),
    reopen() {
      try {
        if (handle.isOpen) handle.close();
      } catch {
        // It is given up either way.
      }
      handle = open();
      generation++;
    },
  };
}

export function openSqlite(file: string): DatabaseSyncInstance {
  const sqlite = new DatabaseSync(file, { timeout: 5000, enableForeignKeyConstraints: true });
  try {
    // The first takes effect only before the first table exists. FULL: a commit has returned from fsync.
    sqlite.exec(`
      PRAGMA auto_vacuum = INCREMENTAL;
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA cache_size = -16384;
      PRAGMA wal_autocheckpoint = 1000;
      PRAGMA temp_store = MEMORY;
      PRAGMA journal_size_limit = 67108864;
      PRAGMA trusted_schema = OFF;
    `);
    return sqlite;
  } catch (cause) {
    sqlite.close();
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ProxyError(
      'INTERNAL',
      `The database ${file} cannot be opened: ${why}. Move the file away to start with an empty one`,
      { file },
    ).withCause(cause);
  }
}

/** The database and its directory are for the owner alone. SQLite gives its side files (-wal, -shm) the mode of the main file. */
export function createPrivateFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  closeSync(openSync(file, 'a', 0o600));
  for (const name of [file, `${file}-wal`, `${file}-shm`]) {
    try {
      chmodSync(name, 0o600);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}

export interface FileIdentityCheck {
  /** Throws where the name leads to another file than the one that was opened, or to none. */
  check(): void;
  /** Throws where there is none; otherwise what is there now is the one. */
  accept(): void;
}

/**
 * A file that was deleted or replaced can still be written through the handle that is open, and everything written is lost with that
 * handle. So it is looked whether it is still in its place.
 */
export function createFileIdentityCheck(file: string): FileIdentityCheck {
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

/** How long another program may hold the database, and how often is looked whether it still does. */
const PATIENCE_MS = 3_000;
const LOOK_MS = 25;

/**
 * Another program may lock the database for a moment, to read or copy it. The wait for the lock happens here and not inside SQLite, which
 * would block the whole process. `work` gets whether this is a retry; it throws the error of SQLite unchanged.
 */
export async function retryWhileLocked<T>(work: (again: boolean) => T): Promise<T> {
  for (const end = performance.now() + PATIENCE_MS; ; await pause(LOOK_MS)) {
    const again = performance.now() < end;
    try {
      return work(again);
    } catch (error) {
      if (!again || !isLocked(error)) throw error;
    }
  }
}

/** SQLITE_BUSY: nothing was done. */
export function isLocked(cause: unknown): boolean {
  const { errcode } = (cause ?? {}) as { errcode?: unknown };
  return typeof errcode === 'number' && (errcode & 0xff) === 5;
}

/**
 * One connection with many users. Code that needs it across an `await` acquires it first; requests are served in order of arrival.
 * Synchronous code only checks `isFree`.
 */
export interface Mutex {
  readonly isFree: boolean;
  acquire(): Promise<void>;
  release(): void;
}

export function createMutex(): Mutex {
  let held = false;
  const waiting: Array<() => void> = [];
  return {
    get isFree() {
      return !held;
    },
    acquire() {
      if (!held) {
        held = true;
        return Promise.resolve();
      }
      return new Promise((resolve) => waiting.push(resolve));
    },
    release() {
      const next = waiting.shift();
      if (next) next();
      else held = false;
    },
  };
}
