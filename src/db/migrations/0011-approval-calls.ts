import { statements } from '../statements.ts';

/**
 * Calls that wait and are masked or cut in `approvals.shown`: here exactly as they will run, so that the person who decides sees them. A
 * table of its own, so that no listing reads it; a row is erased when its approval is used or settled.
 */
export const approvalCalls = statements([
  `CREATE TABLE approval_calls (
     approval_id TEXT PRIMARY KEY,
     principal TEXT NOT NULL, -- who asks
     exact TEXT NOT NULL, -- JSON
     bytes BIGINT NOT NULL,
     revealed_ms BIGINT -- when a person who may decide was first given it
   )`,
]);
