import { statements } from '../statements.ts';

/**
 * Log-ins of the proxy to servers (OAuth). `box` is encrypted with a key of the data directory. One proxy at a time refreshes a token: it
 * locks the row with `busy_by` until `busy_until` (ms).
 */
export const serverLogins = statements([
  `CREATE TABLE server_logins (
     server TEXT PRIMARY KEY,
     key_id TEXT NOT NULL,
     box TEXT NOT NULL,
     version BIGINT NOT NULL,
     busy_by TEXT,
     busy_until BIGINT
   )`,
]);
