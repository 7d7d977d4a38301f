import { statements } from '../statements.ts';

const COLUMNS = `
     definition_hash TEXT NOT NULL,
     hints TEXT NOT NULL, -- as listed last, JSON
     held_hints TEXT NOT NULL, -- the strictest since the operator last accepted, JSON
     operator_operation TEXT,
     operator_by TEXT,
     operator_at TEXT,
     first_seen TEXT NOT NULL,
     changed_at TEXT NOT NULL, -- when the definition last changed
     PRIMARY KEY (server, tool)`;

/** What must be remembered of a tool beyond the life of its server's connection: its hints, and the operator's word on it. */
export const knownTools = {
  sqlite: statements([
    `CREATE TABLE known_tools (server TEXT NOT NULL, tool TEXT NOT NULL, ${COLUMNS}) WITHOUT ROWID`,
  ]),
  // Names are compared and ordered by their bytes, as SQLite does, whatever the language of the server.
  postgres: statements([
    `CREATE TABLE known_tools (server TEXT COLLATE "C" NOT NULL, tool TEXT COLLATE "C" NOT NULL, ${COLUMNS})`,
  ]),
};
