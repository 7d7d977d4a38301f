import { statements } from '../statements.ts';

/**
 * Records are ordered by `seq`, which holds the time of opening and never goes back. What most filters ask for (type, source, status,
 * operation, server, tool) is a facet: few distinct ones exist, each record points at one, and counts are kept per facet. So a filter
 * picks facets and then reads the newest records of each from one index, however rarely two values meet.
 */
const STATEMENTS = [
  `CREATE TABLE activity_facet (
     id INTEGER PRIMARY KEY,
     type TEXT NOT NULL,
     source TEXT NOT NULL,
     status TEXT NOT NULL,
     operation_type TEXT,
     server_name TEXT,
     tool_name TEXT,
     unlisted INTEGER NOT NULL -- 1: names are kept in the record, as too many different ones have been seen
   )`,
  // What is read for every row stands first; large texts last.
  `CREATE TABLE activity (
     seq INTEGER PRIMARY KEY,
     facet_id INTEGER NOT NULL,
     ts INTEGER NOT NULL,
     id TEXT NOT NULL,
     request_id TEXT NOT NULL,
     session_id TEXT,
     conversation_id TEXT,
     client TEXT,
     server_name TEXT,
     tool_name TEXT,
     duration_ms REAL,
     error_code TEXT,
     error_message TEXT,
     response_truncated INTEGER NOT NULL,
     metadata TEXT NOT NULL,
     arguments TEXT,
     response TEXT
   )`,
  // The one index that a call pays for; it ends with seq, as SQLite appends the primary key.
  `CREATE INDEX activity_by_facet ON activity (facet_id)`,
  // Records are counted per facet and bucket. Buckets are stretches of seq, in two levels: about an hour, and about two days.
  `CREATE TABLE activity_bucket (
     level INTEGER NOT NULL,
     first_seq INTEGER NOT NULL,
     PRIMARY KEY (level, first_seq)
   ) WITHOUT ROWID`,
  `CREATE TABLE activity_count (
     level INTEGER NOT NULL,
     facet_id INTEGER NOT NULL,
     bucket INTEGER NOT NULL,
     n INTEGER NOT NULL,
     PRIMARY KEY (level, facet_id, bucket)
   ) WITHOUT ROWID`,
  `CREATE TABLE activity_state (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID`,
  // Filled behind the calls with the words of a record and marks for its other values: session, request, conversation and so on. Words
  // are cut in code, so the tokenizer only splits at spaces. Records that changed after they were indexed wait in activity_reindex.
  `CREATE VIRTUAL TABLE activity_text USING fts5 (
     words, content = '', contentless_delete = 1, detail = none,
     tokenize = "unicode61 remove_diacritics 0 categories 'L* N* M* Co'"
   )`,
  `CREATE TABLE activity_reindex (seq INTEGER PRIMARY KEY)`,
];

export const activity = statements(STATEMENTS);
