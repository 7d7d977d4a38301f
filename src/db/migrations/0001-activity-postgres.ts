import { statements } from '../statements.ts';

/**
 * The tables of the activity log on PostgreSQL, where several writers share them. The key of a record is `seq` and the number of its
 * writer's log, so writers need no common counter. The values that most filters use are facets, as on SQLite. Counts are kept per writer,
 * so that no commit waits for that of another proxy; a reader adds them up.
 */
export const activityOnPostgres = statements([
  `CREATE TABLE activity_log (
     log INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     log_id TEXT NOT NULL UNIQUE,
     public_key TEXT NOT NULL,
     base TEXT, -- the signed statement of what retention has dropped; null while the chain is whole
     incoming INTEGER NOT NULL DEFAULT 0 -- 1: it is being moved here, and nobody may add to it before that is done
   )`,
  `CREATE TABLE activity_journal (
     log INTEGER NOT NULL,
     n BIGINT NOT NULL,
     seq BIGINT, -- the record that the entry is about
     of_log INTEGER, -- the log of that record, where it is another: only in logs that were moved here
     entry TEXT NOT NULL,
     hash TEXT NOT NULL,
     PRIMARY KEY (log, n)
   )`,
  `CREATE TABLE activity_facet (
     id INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     key_hash TEXT NOT NULL UNIQUE, -- of the values below, which may be longer than an index takes
     type TEXT NOT NULL,
     source TEXT NOT NULL,
     status TEXT NOT NULL,
     operation_type TEXT,
     server_name TEXT,
     tool_name TEXT,
     unlisted INTEGER NOT NULL -- 1: names are kept in the record, as too many different ones have been seen
   )`,
  `CREATE TABLE activity (
     seq BIGINT NOT NULL,
     log INTEGER NOT NULL,
     facet_id INTEGER NOT NULL,
     ts BIGINT NOT NULL,
     id TEXT NOT NULL,
     request_id TEXT NOT NULL,
     session_id TEXT,
     conversation_id TEXT,
     client TEXT,
     server_name TEXT,
     tool_name TEXT,
     duration_ms DOUBLE PRECISION,
     error_code TEXT,
     error_message TEXT,
     response_truncated INTEGER NOT NULL,
     metadata TEXT NOT NULL,
     arguments TEXT,
     response TEXT,
     salt TEXT,
     PRIMARY KEY (seq, log)
   )`,
  `CREATE INDEX activity_by_facet ON activity (facet_id, seq, log)`,
  // Words are cut in code, as on SQLite; beside them stand marks for sessions, requests, names and so on.
  `CREATE TABLE activity_text (
     seq BIGINT NOT NULL,
     log INTEGER NOT NULL,
     words TSVECTOR NOT NULL,
     PRIMARY KEY (seq, log)
   )`,
  // What waits to be sorted in is read by every search, and sorting it in holds up one commit: so it is kept short.
  `CREATE INDEX activity_words ON activity_text USING gin (words) WITH (gin_pending_list_limit = 1024)`,
  // `log` is who counted, not whose record it was: a sum over all is right, one row alone need not be.
  ...['activity_count_hour', 'activity_count_day'].map(
    (table) => `CREATE TABLE ${table} (
     bucket INTEGER NOT NULL, -- hours or days since 1970
     facet_id INTEGER NOT NULL,
     log INTEGER NOT NULL,
     n INTEGER NOT NULL,
     PRIMARY KEY (bucket, facet_id, log)
   ) WITH (fillfactor = 70)`,
  ),
  `CREATE TABLE activity_count_all (
     facet_id INTEGER NOT NULL,
     log INTEGER NOT NULL,
     n BIGINT NOT NULL,
     PRIMARY KEY (facet_id, log)
   ) WITH (fillfactor = 50)`,
  ...['activity_minute', 'activity_hour'].map(
    (table) => `CREATE TABLE ${table} (
     at INTEGER NOT NULL,
     log INTEGER NOT NULL,
     n_read BIGINT NOT NULL,
     n_write BIGINT NOT NULL,
     n_destructive BIGINT NOT NULL,
     n_other BIGINT NOT NULL,
     n_refused BIGINT NOT NULL,
     n_errors BIGINT NOT NULL,
     PRIMARY KEY (at, log)
   ) WITH (fillfactor = 70)`,
  ),
  `CREATE TABLE activity_size (
     log INTEGER PRIMARY KEY,
     bytes BIGINT NOT NULL
   ) WITH (fillfactor = 50)`,
  `CREATE TABLE activity_state (key TEXT PRIMARY KEY, value BIGINT NOT NULL)`,
]);
