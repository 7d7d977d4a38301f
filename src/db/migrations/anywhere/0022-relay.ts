import { statements } from '../../statements.ts';

/**
 * What proxies on one database tell each other about clients (`relayed_messages`: sealed, kept for minutes), and what a 2025 session has
 * settled after its handshake (`session_settings`: its log level, and the resources that it watches).
 */
export const relay = statements([
  `CREATE TABLE relayed_messages (
     id TEXT PRIMARY KEY,
     topic TEXT NOT NULL,
     seq BIGINT NOT NULL,
     body TEXT NOT NULL,
     created_ms BIGINT NOT NULL
   )`,
  'CREATE INDEX relayed_messages_by_topic ON relayed_messages (topic, seq)',
  'CREATE INDEX relayed_messages_by_time ON relayed_messages (created_ms)',
  `CREATE TABLE session_settings (
     session_id TEXT NOT NULL,
     name TEXT NOT NULL,
     value TEXT NOT NULL,
     changed_ms BIGINT NOT NULL,
     PRIMARY KEY (session_id, name)
   )`,
]);
