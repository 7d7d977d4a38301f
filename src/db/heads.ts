/** What the database says is newest of what calls are judged by, as of one statement. */
export interface Heads {
  /** Of the configuration. Null where none was ever stored. */
  revision: number | null;
  tokens: number;
  tools: number;
}

/** The key in `activity_state` of the number that changes with each decision on a tool. */
export const TOOL_DECISIONS = 'tool_decisions';

/** For the list of a SELECT on PostgreSQL. */
export const HEADS = `(SELECT revision FROM config_head WHERE id = 1) AS revision,
    coalesce((SELECT value FROM token_state WHERE key = 'revision'), 0) AS tokens,
    coalesce((SELECT value FROM activity_state WHERE key = '${TOOL_DECISIONS}'), 0) AS tools`;
