import { statements } from '../statements.ts';

/** The definition of a tool that the operator has rejected: it stays withheld, and is not asked about again until it is another one. */
export const rejectedTools = statements([
  `ALTER TABLE known_tools ADD COLUMN rejected_hash TEXT`,
  `ALTER TABLE known_tools ADD COLUMN rejected_identity TEXT`,
  `ALTER TABLE known_tools ADD COLUMN rejected_by TEXT`,
  `ALTER TABLE known_tools ADD COLUMN rejected_at TEXT`,
]);
