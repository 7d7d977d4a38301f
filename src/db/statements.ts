import { sql, type Kysely, type Migration } from 'kysely';

/** A migration that is a list of statements, run in order. */
export function statements(list: readonly string[]): Migration {
  return {
    async up(db: Kysely<unknown>) {
      for (const statement of list) await sql.raw(statement).execute(db);
    },
  };
}
