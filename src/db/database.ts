import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { Kysely } from 'kysely';
import { ProxyError } from '../contract/errors.ts';
import type { Log } from '../lib/log.ts';
import { createGroupCommit, type GroupCommit } from './group-commit.ts';
import { migrate } from './migrate.ts';
import { makePrivate } from './private-file.ts';
import type { Tables } from './schema.ts';
import { createSqliteDialect } from './sqlite-dialect.ts';
import { createTurn, type Turn } from './turn.ts';

/** One statement or a few, run inside the transaction of its group. An error fails the whole group. */
export interface WriteOp {
  run(): void;
}

/** Whoever keeps counts in memory beside those in the database moves them with the transaction. */
export interface CommitListener {
  beforeCommit(): void;
  committed(): void;
  rolledBack(): void;
}

export interface Database {
  readonly file: string;
  /** For queries and everything that is not hot. Compiling a query costs tens of microseconds. */
  readonly kysely: Kysely<Tables>;
  /** For the hot path: prepared statements. Writes go through `writes`. */
  readonly sqlite: DatabaseSyncInstance;
  readonly writes: GroupCommit<WriteOp>;
  /** A write of its own in the next commit: when it throws, only its caller hears of it. */
  write<T>(work: (sqlite: DatabaseSyncInstance) => T): Promise<T>;
  onCommit(listener: CommitListener): void;
  close(): Promise<void>;
}

export async function openDatabase({ file, log }: { file: string; log: Log }): Promise<Database> {
  makePrivate(file);
  const sqlite = openSqlite(file);
  try {
    const turn = createTurn();
    const kysely = new Kysely<Tables>({ dialect: createSqliteDialect(sqlite, turn) });
    await migrate(kysely, file, log);
    return createDatabase({ file, sqlite, kysely, turn, log });
  } catch (error) {
    sqlite.close();
    throw error;
  }
}

interface Parts {
  file: string;
  sqlite: DatabaseSyncInstance;
  kysely: Kysely<Tables>;
  turn: Turn;
  log: Log;
}

function createDatabase({ file, sqlite, kysely, turn, log }: Parts): Database {
  const listeners: CommitListener[] = [];
  const [begin, commit] = [sqlite.prepare('BEGIN IMMEDIATE'), sqlite.prepare('COMMIT')];
  const writes = createGroupCommit<WriteOp>({
    commit(ops) {
      if (turn.free) return commitAll(ops);
      return turn
        .take()
        .then(() => commitAll(ops))
        .finally(() => turn.give());
    },
  });

  function commitAll(ops: readonly WriteOp[]): void {
    try {
      begin.run();
      for (const op of ops) op.run();
      for (const listener of listeners) listener.beforeCommit();
      commit.run();
    } catch (cause) {
      rollBack(sqlite);
      for (const listener of listeners) listener.rolledBack();
      log.error({ file, err: cause }, 'the database cannot be written');
      throw unavailable(file, cause);
    }
    for (const listener of listeners) tell(listener);
  }

  /** What is committed is committed, whatever a listener makes of it. */
  function tell(listener: CommitListener): void {
    try {
      listener.committed();
    } catch (error) {
      log.error({ err: error }, 'a listener failed after a commit');
    }
  }

  return {
    file,
    kysely,
    sqlite,
    writes,
    write: (work) => writeAlone(sqlite, writes, work),
    onCommit: (listener) => void listeners.push(listener),
    async close() {
      await writes.close();
      await turn.take();
      if (sqlite.isOpen) sqlite.close();
    },
  };
}

async function writeAlone<T>(
  sqlite: DatabaseSyncInstance,
  writes: GroupCommit<WriteOp>,
  work: (sqlite: DatabaseSyncInstance) => T,
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
  await writes.add({ run }, 'now');
  if (outcome && 'value' in outcome) return outcome.value;
  throw outcome?.error;
}

function openSqlite(file: string): DatabaseSyncInstance {
  const sqlite = new DatabaseSync(file, { timeout: 5000, enableForeignKeyConstraints: true });
  try {
    // The first takes effect only before the first table exists. FULL: a commit has returned from fsync.
    sqlite.exec(`
      PRAGMA auto_vacuum = INCREMENTAL;
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA cache_size = -16384;
      PRAGMA wal_autocheckpoint = 4000;
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
      { cause },
    );
  }
}

function rollBack(sqlite: DatabaseSyncInstance): void {
  // After some errors, a full disk among them, SQLite has rolled back already.
  if (sqlite.isOpen && sqlite.isTransaction) sqlite.exec('ROLLBACK');
}

function unavailable(file: string, cause: unknown): ProxyError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new ProxyError(
    'AUDIT_UNAVAILABLE',
    `The activity log cannot be written (${why}); check ${file} and the space on its disk`,
    { file },
    { cause },
  );
}
