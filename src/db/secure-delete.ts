import { sql, SqliteAdapter, type Kysely, type Transaction } from 'kysely';

/** Deletes so that what is removed is overwritten in the file of SQLite, not only unlinked. PostgreSQL has no such thing. */
export function deleteSecurely<T>(
  kysely: Kysely<T>,
  work: (trx: Transaction<T>) => Promise<unknown>,
): Promise<void> {
  const isSqlite = kysely.getExecutor().adapter instanceof SqliteAdapter;
  return kysely.transaction().execute(async (trx) => {
    if (isSqlite) await sql`PRAGMA secure_delete = ON`.execute(trx);
    try {
      await work(trx);
    } finally {
      if (isSqlite) await sql`PRAGMA secure_delete = OFF`.execute(trx);
    }
  });
}
