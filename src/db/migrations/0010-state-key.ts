import { statements } from './statements.ts';

/** The key that seals what clients carry, shared by all proxies on this database. It opens nothing but such states. */
export const stateKey = statements([`CREATE TABLE state_key (id INTEGER PRIMARY KEY, key TEXT NOT NULL)`]);

/**
 * Migration 0018: MCP sessions that their clients have ended, as their ids are sealed with this key and would restore them. A row with an
 * empty id stands for all of its owner up to that time of issue (ms).
 */
export const endedSessions = statements([
  `CREATE TABLE ended_sessions (
     owner TEXT NOT NULL,
     id TEXT NOT NULL,
     issued_ms BIGINT NOT NULL,
     PRIMARY KEY (owner, id)
   )`,
]);
