import { statements } from '../../statements.ts';

/**
 * The settings that all proxies on a database share. `body`: their text, encrypted with the key of the rows. `changes`: the difference to
 * the revision before, without secrets. `config_head` names the revision in force. `config_replicas`: what each proxy uses, as digests.
 */
export const configRevisions = statements([
  `CREATE TABLE config_revisions (
     revision BIGINT PRIMARY KEY,
     created_at TEXT NOT NULL,
     created_by TEXT NOT NULL,
     source TEXT NOT NULL,
     action TEXT NOT NULL,
     digest TEXT NOT NULL,
     changes TEXT NOT NULL,
     body TEXT NOT NULL,
     seal TEXT
   )`,
  `CREATE TABLE config_head (
     id INTEGER PRIMARY KEY,
     revision BIGINT NOT NULL,
     seal TEXT
   )`,
  `CREATE TABLE config_replicas (
     proxy TEXT PRIMARY KEY,
     listen TEXT,
     source TEXT NOT NULL,
     revision BIGINT,
     settings TEXT NOT NULL,
     seen_ms BIGINT NOT NULL
   )`,
]);
