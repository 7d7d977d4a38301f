import { statements } from '../statements.ts';

/**
 * Conversations with the task assistant. One message of a conversation is answered at a time: the answering proxy locks the row
 * with `busy_by` until `busy_until` (ms). The lock works across several proxies.
 */
export const conversations = statements([
  `CREATE TABLE conversations (
     id TEXT PRIMARY KEY,
     user_id TEXT NOT NULL,
     title TEXT NOT NULL,
     messages INTEGER NOT NULL,
     created_at TEXT NOT NULL,
     updated_at TEXT NOT NULL,
     busy_by TEXT,
     busy_until BIGINT
   )`,
  `CREATE INDEX conversations_by_user ON conversations (user_id, updated_at, id)`,
  `CREATE TABLE conversation_messages (
     id TEXT PRIMARY KEY,
     conversation_id TEXT NOT NULL,
     n INTEGER NOT NULL, -- its place in the conversation, from 1
     role TEXT NOT NULL,
     content TEXT NOT NULL,
     created_at TEXT NOT NULL,
     context TEXT, -- of a person's message: everything the decision was made from, JSON
     decided TEXT, -- and the decision, byte for byte, JSON
     shown TEXT, -- of an answer: ids of the list that it shows, JSON
     mark TEXT, -- what the next message may refer to, JSON
     UNIQUE (conversation_id, n)
   )`,
]);
