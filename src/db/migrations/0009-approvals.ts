import { statements } from '../statements.ts';

/** Times are milliseconds. Texts that are JSON hold what a person is shown; what is executed never comes from here. */
export const approvals = statements([
  `CREATE TABLE approvals (
     id TEXT PRIMARY KEY,
     status TEXT NOT NULL,
     scope TEXT NOT NULL,
     digest TEXT NOT NULL,
     principal TEXT NOT NULL,
     token_id TEXT,
     user_id TEXT NOT NULL,
     conversation_id TEXT,
     server TEXT NOT NULL,
     tool TEXT NOT NULL,
     operation TEXT NOT NULL,
     server_identity TEXT NOT NULL,
     definition_hash TEXT NOT NULL,
     policy_version TEXT NOT NULL,
     rule TEXT NOT NULL,
     shown TEXT NOT NULL, -- JSON
     created_ms BIGINT NOT NULL,
     ttl_ms BIGINT NOT NULL,
     expires_ms BIGINT NOT NULL,
     decided_ms BIGINT,
     decided_by TEXT,
     decided_from TEXT,
     decision_reason TEXT,
     settled_ms BIGINT,
     told INTEGER NOT NULL DEFAULT 0, -- 1: the caller has heard how it ended
     record_id TEXT,
     grant_id TEXT,
     runner TEXT, -- the proxy that uses it
     lease_ms BIGINT -- until when that proxy counts as alive
   )`,
  // At most one open question, or unused approval, per call: this is what makes repeated calls meet.
  `CREATE UNIQUE INDEX approvals_open ON approvals (digest) WHERE status IN ('pending', 'approved')`,
  `CREATE INDEX approvals_by_digest ON approvals (digest, id)`,
  `CREATE INDEX approvals_by_status ON approvals (status, expires_ms)`,
  `CREATE INDEX approvals_by_conversation ON approvals (conversation_id) WHERE conversation_id IS NOT NULL`,
  `CREATE TABLE grants (
     id TEXT PRIMARY KEY,
     server TEXT NOT NULL,
     tool TEXT NOT NULL,
     server_identity TEXT NOT NULL,
     definition_hash TEXT NOT NULL,
     principal TEXT NOT NULL,
     token_id TEXT,
     user_id TEXT NOT NULL,
     client TEXT,
     created_ms BIGINT NOT NULL,
     created_by TEXT NOT NULL,
     created_from TEXT NOT NULL,
     expires_ms BIGINT NOT NULL,
     max_calls BIGINT,
     used BIGINT NOT NULL DEFAULT 0,
     reason TEXT,
     approval_id TEXT,
     revoked_ms BIGINT,
     revoked_by TEXT
   )`,
  `CREATE INDEX grants_by_tool ON grants (server, tool, principal)`,
]);
