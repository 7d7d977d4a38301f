import { DatabaseSync } from '@photostructure/sqlite';
import pg from 'pg';

/** Somebody who can read and write the database of a proxy, and nothing else. */
export interface DatabaseWriter {
  run(sql: string): Promise<void>;
  rows(sql: string): Promise<Array<Record<string, string | number | null>>>;
  /** Makes a row what it was when it was read. */
  putBack(table: string, row: Record<string, string | number | null>): Promise<void>;
}

/** `place`: the address of a PostgreSQL, or the file of an SQLite. */
export function databaseWriter(place: string): DatabaseWriter {
  const rows = place.startsWith('postgres:') ? onPostgres(place) : onSqlite(place);
  return {
    rows,
    run: async (sql) => void (await rows(sql)),
    async putBack(table, { id, ...row }) {
      const set = Object.entries(row).map(([name, value]) => `${name} = ${literal(value)}`);
      await rows(`UPDATE ${table} SET ${set.join()} WHERE id = ${literal(id!)}`);
    },
  };
}

function onPostgres(url: string): DatabaseWriter['rows'] {
  return async (sql) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<Record<string, string>>(sql)).rows;
    } finally {
      await client.end();
    }
  };
}

function onSqlite(file: string): DatabaseWriter['rows'] {
  return async (sql) => {
    const db = new DatabaseSync(file);
    try {
      db.exec('PRAGMA busy_timeout = 10000');
      return db.prepare(sql).all() as Array<Record<string, string | number | null>>;
    } finally {
      db.close();
    }
  };
}

export function literal(value: string | number | null): string {
  if (value === null) return 'NULL';
  return typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`;
}
