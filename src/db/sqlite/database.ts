import { Kysely } from 'kysely';
import { ProxyError } from '../../contract/errors.ts';
import type { Log } from '../../lib/log.ts';
import type { AnyDatabase } from '../any-database.ts';
import {
  type ReopenableSqlite,
  type Sqlite,
  type SqliteHandle,
  type Mutex,
  createFileIdentityCheck,
  createReopenable,
  createMutex,
  isLocked,
  createPrivateFile,
  openSqlite,
  retryWhileLocked,
} from './sqlite.ts';
import { createGroupCommit, type GroupCommit } from '../group-commit.ts';
import { createHealthWatch, isStorageFailure, type HealthWatch } from '../health.ts';
import { migrate } from '../migrate.ts';
import type { Tables } from '../schema.ts';
import { createSqliteDialect, type DiskGuard } from './dialect.ts';

/** One statement or a few, run inside the transaction of its group. An error fails the whole group. */
export interface WriteOp {
  run(): void;
  /** Its group was not committed. */
  failed?(): void;
}

/** For code that keeps counts in memory: they change together with the transaction that changes the stored counts. */
export interface CommitListener {
  beforeCommit(): void;
  committed(): void;
  rolledBack(): void;
  /** The database was reopened after a disk error: its contents must be read again. */
  reopened?(): void;
}

export interface SqliteDatabase extends AnyDatabase {
  readonly engine: 'sqlite';
  readonly file: string;
  /** For the hot path: prepared statements. Writes go through `writes`. */
  readonly sqlite: Sqlite;
  readonly writes: GroupCommit<WriteOp>;
  /** Adds a separate write to the next commit. When it throws, only its caller gets the error. */
  write<T>(work: (sqlite: Sqlite) => T): Promise<T>;
  onCommit(listener: CommitListener): void;
}

export interface SqliteOptions {
  file: string;
  log: Log;
  /** How a handle is opened; a test puts one in between that fails. */
  open?: (file: string) => SqliteHandle;
  /** Writes that may wait. */
  maxQueued?: number;
}

/** While serving, waiting for a lock of another program happens outside of SQLite, which would block the whole process. */
const SERVING = 'PRAGMA busy_timeout = 10';

export async function openSqliteDatabase(options: SqliteOptions): Promise<SqliteDatabase> {
  const { file, log, open = openSqlite, maxQueued } = options;
  createPrivateFile(file);
  const sqlite = createReopenable(() => open(file));
  try {
    const mutex = createMutex();
    // Migrating fails as it fails; from then on the disk is watched.
    const guard: DiskGuard = { assertWritable: () => {}, toError: (cause) => cause };
    const kysely = new Kysely<Tables>({ dialect: createSqliteDialect(sqlite, mutex, guard) });
    await migrate({ engine: 'sqlite', kysely, place: file, log });
    return createDatabase({ file, sqlite, kysely, mutex, guard, log, maxQueued });
  } catch (error) {
    sqlite.close();
    throw error;
  }
}

interface Parts {
  file: string;
  sqlite: ReopenableSqlite;
  kysely: Kysely<Tables>;
  mutex: Mutex;
  guard: DiskGuard;
  log: Log;
  maxQueued: number | undefined;
}

function createDatabase({ file, sqlite, kysely, mutex, guard, log, maxQueued }: Parts): SqliteDatabase {
  const listeners: CommitListener[] = [];
  const [begin, commit] = [sqlite.prepare('BEGIN IMMEDIATE'), sqlite.prepare('COMMIT')];
  const touch = sqlite.prepare(`INSERT OR REPLACE INTO activity_state VALUES ('probed_at', ?)`);
  const place = createFileIdentityCheck(file);
  sqlite.exec(SERVING);
  let probing = false;
  const health: HealthWatch = createHealthWatch({ probe, log, place: file });
  const writes = createGroupCommit<WriteOp>({
    ...(maxQueued && { maxQueued }),
    onRejected: (op) => op.failed?.(),
    commit(ops) {
      try {
        if (mutex.isFree) return commitAll(ops, true);
      } catch (cause) {
        if (!isLocked(cause)) throw cause;
      }
      return mutex
        .acquire()
        .then(() => retryWhileLocked((again) => commitAll(ops, again)))
        .finally(() => mutex.release());
    },
  });

  /** A write like any other, after the handle was replaced where it is not to be trusted. */
  async function probe(): Promise<void> {
    probing = true;
    await writes.add({ run: () => void touch.run(Date.now()) }).finally(() => (probing = false));
  }

  function reopen(): void {
    const state = health.current();
    if (!probing && !state.ok) throw new Error(state.reason);
    place.accept();
    sqlite.reopen();
    sqlite.exec(SERVING);
    for (const listener of listeners) listener.reopened?.();
    health.reopened();
  }

  /** `mayWait`: where another program holds the database and all was well so far, it is not given up yet; the error is SQLite's own. */
  function commitAll(ops: readonly WriteOp[], mayWait: boolean): void {
    try {
      if (health.needsReopen) reopen(); // fails for all but the probe
      else place.check();
      begin.run();
      for (const op of ops) op.run();
      for (const listener of listeners) listener.beforeCommit();
      commit.run();
    } catch (cause) {
      if (mayWait && isLocked(cause) && !sqlite.isTransaction && health.current().ok) throw cause;
      fail(ops, cause);
      throw unavailable(file, cause);
    }
    health.reportSuccess();
    for (const listener of listeners) notifyCommitted(listener);
  }

  function fail(ops: readonly WriteOp[], cause: unknown): void {
    rollBack(sqlite);
    for (const listener of listeners) listener.rolledBack();
    for (const op of ops) op.failed?.();
    health.reportFailure(cause);
  }

  guard.assertWritable = () => {
    const state = health.current();
    if (health.needsReopen && !state.ok) throw unwritable(file, state.reason);
  };
  guard.toError = (cause) => {
    if (!isStorageFailure(cause)) return cause;
    health.reportFailure(cause);
    return unwritable(file, cause);
  };

  /** What is committed is committed, whatever a listener makes of it. */
  function notifyCommitted(listener: CommitListener): void {
    try {
      listener.committed();
    } catch (error) {
      log.error({ err: error }, 'a listener failed after a commit');
    }
  }

  let closing: Promise<void> | undefined;
  async function close(): Promise<void> {
    health.close();
    await writes.close();
    await mutex.acquire();
    if (!sqlite.isOpen) return;
    if (!health.needsReopen) truncateWal(sqlite);
    sqlite.close();
  }

  return {
    engine: 'sqlite',
    place: file,
    file,
    kysely,
    sqlite,
    writes,
    write: (work) => writeInSavepoint(sqlite, writes, work),
    onCommit: (listener) => void listeners.push(listener),
    health: () => health.current(),
    close: () => (closing ??= close()),
  };
}

async function writeInSavepoint<T>(
  sqlite: Sqlite,
  writes: GroupCommit<WriteOp>,
  work: (sqlite: Sqlite) => T,
): Promise<T> {
  let outcome: { value: T } | { error: unknown } | undefined;
  const run = () => {
    sqlite.exec('SAVEPOINT alone');
    try {
      outcome = { value: work(sqlite) };
    } catch (error) {
      outcome = { error };
      sqlite.exec('ROLLBACK TO alone');
    }
    sqlite.exec('RELEASE alone');
  };
  await writes.add({ run });
  if (outcome && 'value' in outcome) return outcome.value;
  throw outcome?.error;
}

/** Open statements prevent the checkpoint. After it, a copy of the one database file contains everything. */
function truncateWal(sqlite: Sqlite): void {
  try {
    sqlite.exec('PRAGMA busy_timeout = 200; PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // It is read with the file on the next start.
  }
}

function rollBack(sqlite: Sqlite): void {
  // After some errors, a full disk among them, SQLite has rolled back already.
  try {
    if (sqlite.isOpen && sqlite.isTransaction) sqlite.exec('ROLLBACK');
  } catch {
    // The failure that led here is the one to tell of.
  }
}

function unavailable(file: string, cause: unknown): ProxyError {
  return new ProxyError(
    'AUDIT_UNAVAILABLE',
    `The activity log cannot be written (${wordsOf(cause)}); check ${file} and the space on its disk`,
    { file },
  ).withCause(cause);
}

function unwritable(file: string, cause: unknown): ProxyError {
  return new ProxyError(
    'DATABASE_UNAVAILABLE',
    `The database cannot be written (${wordsOf(cause)}); check ${file} and the space on its disk`,
    { file },
  ).withCause(cause);
}

function wordsOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
