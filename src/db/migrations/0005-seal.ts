import { statements } from '../statements.ts';

/**
 * The chain that makes changes of the log show. Each writer has a log of its own; `pos` is the number of the log times 2^40 plus the
 * running number of the entry, so that one key orders both and no further index is needed.
 */
const STATEMENTS = [
  `CREATE TABLE activity_log (
     log INTEGER PRIMARY KEY,
     log_id TEXT NOT NULL UNIQUE,
     public_key TEXT NOT NULL,
     base TEXT -- the signed statement of what retention has dropped; null while the chain is whole
   )`,
  `CREATE TABLE activity_journal (
     pos INTEGER PRIMARY KEY,
     seq INTEGER, -- the record that the entry is about
     entry TEXT NOT NULL,
     hash TEXT NOT NULL
   )`,
  // Goes into the digest of the payload and leaves with it, so that the digest alone does not let the payload be guessed.
  `ALTER TABLE activity ADD COLUMN salt TEXT`,
];

export const seal = statements(STATEMENTS);
