import { statements } from '../statements.ts';

/** The key that seals what clients carry, shared by all proxies on this database. It opens nothing but such states. */
export const stateKey = statements([`CREATE TABLE state_key (id INTEGER PRIMARY KEY, key TEXT NOT NULL)`]);
