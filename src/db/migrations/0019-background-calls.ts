import { statements } from '../statements.ts';

/**
 * Calls that run in the background (tasks of the protocol). `request`: what was called, so that the call can be followed after a restart.
 * `server_task`: the task that the server made of it. The proxy `owner` follows it until `lease_until` (ms); then another one
 * may. `seal`: a keyed digest of all but these two, so that nobody who can only write the database makes up a call or its outcome.
 */
export const backgroundCalls = statements([
  `CREATE TABLE background_calls (
     id TEXT PRIMARY KEY,
     principal TEXT NOT NULL,
     token_id TEXT,
     user_id TEXT NOT NULL,
     client TEXT,
     request TEXT NOT NULL,
     server_task TEXT,
     status TEXT NOT NULL,
     message TEXT,
     input_requests TEXT,
     outcome TEXT,
     created_at BIGINT NOT NULL,
     updated_at BIGINT NOT NULL,
     ttl_ms BIGINT NOT NULL,
     poll_ms BIGINT,
     owner TEXT NOT NULL,
     lease_until BIGINT NOT NULL,
     seal TEXT NOT NULL
   )`,
  'CREATE INDEX background_calls_by_caller ON background_calls (principal, created_at, id)',
]);
