import { sql, type Kysely, type Migration } from 'kysely';

/** Ordered by `seq`, because two tasks may be added in the same millisecond. */
const STATEMENTS = [
  `CREATE TABLE tasks (
     seq INTEGER PRIMARY KEY,
     id TEXT NOT NULL UNIQUE,
     user_id TEXT NOT NULL,
     description TEXT NOT NULL,
     status TEXT NOT NULL,
     created_at TEXT NOT NULL,
     completed_at TEXT
   )`,
  `CREATE INDEX tasks_by_user ON tasks (user_id)`,
];

export const tasks: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};
