/** The public interface of the log on PostgreSQL. Separate from `log/index.ts`, so that it is loaded only where it is used. */
export { createPostgresActivity } from './log.ts';
export { destinationIsAhead, moveLogs, refuseDivergence, type MovedLog } from './move/move-log.ts';
export { readPostgresActivity } from './read-activity.ts';
export { verifyOnPostgres } from './upkeep/verify.ts';
export { verifyPostgresCopy } from './upkeep/verify-copy.ts';
export { createKnownWriters } from './write/known-writers.ts';
export { lockHolders } from './write/locks.ts';
