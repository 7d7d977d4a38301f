import { statements } from '../statements.ts';

/**
 * The definition of each tool that was accepted, at first use or by the operator, and how its server was started or reached then. Tools
 * known before this migration were in use, so they count as accepted: an empty hash is filled in when they are listed next.
 */
const STATEMENTS = [
  `ALTER TABLE known_tools ADD COLUMN server_identity TEXT NOT NULL DEFAULT ''`,
  `ALTER TABLE known_tools ADD COLUMN accepted_hash TEXT`,
  `ALTER TABLE known_tools ADD COLUMN accepted_identity TEXT`,
  `ALTER TABLE known_tools ADD COLUMN accepted_by TEXT`,
  `ALTER TABLE known_tools ADD COLUMN accepted_at TEXT`,
  `UPDATE known_tools SET accepted_hash = '', accepted_identity = '', accepted_by = 'first use', accepted_at = first_seen`,
];
// Apart, as it is large and only read to show what has changed. NULL: too large to keep.
const DEFINITIONS = `CREATE TABLE accepted_definitions (
     server TEXT NOT NULL,
     tool TEXT NOT NULL,
     definition TEXT, -- JSON
     PRIMARY KEY (server, tool)
   )`;

export const acceptedTools = {
  sqlite: statements([...STATEMENTS, `${DEFINITIONS} WITHOUT ROWID`]),
  postgres: statements([...STATEMENTS, DEFINITIONS]),
};
