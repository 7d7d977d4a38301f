import { sql, type Kysely, type Migration } from 'kysely';

/** What must be remembered of a tool beyond the life of its server's connection: its hints, and the operator's word on it. */
const STATEMENTS = [
  `CREATE TABLE known_tools (
     server TEXT NOT NULL,
     tool TEXT NOT NULL,
     definition_hash TEXT NOT NULL,
     hints TEXT NOT NULL, -- as listed last, JSON
     held_hints TEXT NOT NULL, -- the strictest since the operator last accepted, JSON
     operator_operation TEXT,
     operator_by TEXT,
     operator_at TEXT,
     first_seen TEXT NOT NULL,
     changed_at TEXT NOT NULL, -- when the definition last changed
     PRIMARY KEY (server, tool)
   ) WITHOUT ROWID`,
];

export const knownTools: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};
