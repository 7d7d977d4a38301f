import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type pg from 'pg';
import { isServerTrouble, unavailable } from './trouble.ts';

/** The pool as Kysely uses it: trouble with the server comes as one error that every door can render, and a broken connection is thrown away. */
export function forKysely(pool: pg.Pool, place: string, suspect: (cause: unknown) => void): PostgresPool {
  const readable = (error: unknown): unknown => {
    if (!isServerTrouble(error)) return error;
    suspect(error);
    return unavailable(place, error);
  };
  return {
    async connect() {
      try {
        return wrap(await pool.connect(), readable);
      } catch (error) {
        throw readable(error);
      }
    },
    // The pool is closed by the one who opened it.
    async end() {},
  };
}

/** PostgreSQL has no place for NUL in a text, so it is shown as a character that cannot be shown. */
function storable(value: unknown): unknown {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
}

function wrap(client: pg.PoolClient, readable: (error: unknown) => unknown): PostgresPoolClient {
  let broken = false;
  const query = async (sql: string, parameters: readonly unknown[]) => {
    try {
      return await client.query<Record<string, unknown>>(sql, parameters.map(storable));
    } catch (error) {
      if (isServerTrouble(error)) broken = true;
      throw readable(error);
    }
  };
  return { query: query as unknown as PostgresPoolClient['query'], release: () => client.release(broken) };
}
