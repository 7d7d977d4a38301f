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

/** The one connection of the process. Statements stay good when it is opened anew. */
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
