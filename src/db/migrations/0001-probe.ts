import { statements } from '../statements.ts';

/** One row, written to find out whether the server takes writes again. SQLite has such a row in activity_state. */
export const probe = statements([
  `CREATE TABLE database_probe (
     id INTEGER PRIMARY KEY,
     probed_at BIGINT NOT NULL
   )`,
]);
