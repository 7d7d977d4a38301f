import { statements } from '../statements.ts';

export const tokens = statements([
  // A scope is JSON. The secret itself is nowhere: `digest` is its SHA-256.
  `CREATE TABLE tokens (
     id TEXT PRIMARY KEY,
     name TEXT NOT NULL,
     digest TEXT NOT NULL UNIQUE,
     scope TEXT NOT NULL,
     user_id TEXT NOT NULL,
     created_at TEXT NOT NULL,
     created_by TEXT NOT NULL,
     expires_at TEXT,
     revoked_at TEXT,
     revoked_by TEXT,
     last_used_at TEXT
   )`,
  `CREATE UNIQUE INDEX tokens_by_name ON tokens (name) WHERE revoked_at IS NULL`,
  // `revision` moves with every change of the table above, so that each proxy sees with one small query whether it must read again.
  `CREATE TABLE token_state (key TEXT PRIMARY KEY, value BIGINT NOT NULL)`,
  `INSERT INTO token_state (key, value) VALUES ('revision', 0)`,
]);
