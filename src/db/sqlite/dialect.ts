import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type Transaction,
  sql,
} from 'kysely';
import { type Sqlite, type Statement, type Mutex, retryWhileLocked } from './sqlite.ts';

/** SQLite rolls back schema changes like any other, so a migration that fails leaves nothing behind. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** Who watches the disk. A handle that is not to be trusted takes no writes, also not from here. */
export interface DiskGuard {
  /** Throws where nothing may be written. */
  assertWritable(): void;
  /** Returns the error to throw instead, and reports a storage failure. */
  toError(cause: unknown): unknown;
}

/** Kysely on the one connection that we have; it takes its turn with the group commit. */
export function createSqliteDialect(sqlite: Sqlite, mutex: Mutex, guard: DiskGuard): Dialect {
  return {
    createAdapter: () => new TransactionalSqliteAdapter(),
    createDriver: () => createDriver(sqlite, mutex, guard),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

function createDriver(sqlite: Sqlite, mutex: Mutex, guard: DiskGuard): Driver {
  const connection = createConnection(sqlite, guard);
  const run = async (sql: string) => void (await connection.executeQuery(CompiledQuery.raw(sql)));
  return {
    async init() {},
    async acquireConnection() {
      await mutex.acquire();
      return connection;
    },
    async releaseConnection() {
      mutex.release();
    },
    beginTransaction: () => run('BEGIN IMMEDIATE'),
    commitTransaction: () => run('COMMIT'),
    // After some errors, a full disk among them, SQLite has rolled back already.
    rollbackTransaction: async () => void (sqlite.isTransaction && (await run('ROLLBACK'))),
    // The database is closed by the one who opened it.
    async destroy() {},
  };
}

const READS = /^\s*(select|pragma|rollback)\b/i;

function createConnection(sqlite: Sqlite, guard: DiskGuard): DatabaseConnection {
  const prepare = statementCache(sqlite);
  return {
    async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
      if (!READS.test(sql)) guard.assertWritable();
      const run = (): QueryResult<R> => {
        const { statement, reads } = prepare(sql);
        if (reads) return { rows: statement.all(...parameters) as R[] };
        const { changes, lastInsertRowid } = statement.run(...parameters);
        return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
      };
      try {
        return await retryWhileLocked(run);
      } catch (error) {
        throw guard.toError(error);
      }
    },
    async *streamQuery<R>({ sql, parameters }: CompiledQuery): AsyncGenerator<QueryResult<R>> {
      for (const row of sqlite.prepare(sql).iterate(...parameters)) yield { rows: [row as R] };
    },
  };
}

interface Prepared {
  statement: Statement;
  reads: boolean;
}

const CACHED_STATEMENTS = 200;

function statementCache(sqlite: Sqlite): (sql: string) => Prepared {
  const cache = new Map<string, Prepared>();
  return (sql) => {
    const known = cache.get(sql);
    if (known) return known;
    const statement = sqlite.prepare(sql);
    const prepared = { statement, reads: statement.columns().length > 0 };
    if (cache.size >= CACHED_STATEMENTS) cache.delete(cache.keys().next().value!);
    cache.set(sql, prepared);
    return prepared;
  };
}

/**
 * A transaction in which SQLite overwrites what it removes, instead of only unlinking it. Every write to a table that must leave nothing
 * behind takes it: also an insert moves rows between pages. PostgreSQL has no such thing.
 */
export function withSecureDelete<T, R>(
  kysely: Kysely<T>,
  work: (trx: Transaction<T>) => Promise<R>,
): Promise<R> {
  const isSqlite = kysely.getExecutor().adapter instanceof SqliteAdapter;
  return kysely.transaction().execute(async (trx) => {
    if (isSqlite) await sql`PRAGMA secure_delete = ON`.execute(trx);
    try {
      return await work(trx);
    } finally {
      if (isSqlite) await sql`PRAGMA secure_delete = OFF`.execute(trx);
    }
  });
}
