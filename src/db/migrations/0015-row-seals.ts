import { statements } from '../statements.ts';

/**
 * Rows that let something pass carry a seal, made with a key of the data directory. `row_key` names that key; NULL: the rows from before are
 * not sealed yet.
 */
export const rowSeals = statements([
  `ALTER TABLE tokens ADD COLUMN seal TEXT`,
  `ALTER TABLE approvals ADD COLUMN seal TEXT`,
  `ALTER TABLE approval_calls ADD COLUMN seal TEXT`,
  `ALTER TABLE grants ADD COLUMN seal TEXT`,
  `ALTER TABLE known_tools ADD COLUMN seal TEXT`,
  `CREATE TABLE row_key (id INTEGER PRIMARY KEY, key_id TEXT)`,
  `INSERT INTO row_key (id, key_id) VALUES (1, NULL)`,
]);
