import { sql, SqliteAdapter, type Kysely, type Transaction } from 'kysely';

/**
 * A transaction in which SQLite overwrites what it removes, instead of only unlinking it. Every write to a table that must leave nothing
 * behind takes it: also an insert moves rows between pages. PostgreSQL has no such thing.
 */
export function overwriting<T, R>(kysely: Kysely<T>, work: (trx: Transaction<T>) => Promise<R>): Promise<R> {
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
