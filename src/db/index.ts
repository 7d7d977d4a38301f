/** The public interface of this folder: other folders import only from here. */
export { openDatabase, type Database, type DatabaseLocation } from './database.ts';
export type { AnyDatabase } from './any-database.ts';
export {
  isBackup,
  openBackup,
  readBackup,
  sealBackup,
  unsealBackup,
  unusable,
  type BackedUpFile,
  type BackupInfo,
} from './backup/backup-file.ts';
export { copyPostgres } from './backup/copy-postgres.ts';
export { copySqlite, foldWal, type CopyWatch } from './backup/copy-sqlite.ts';
export { stagePostgres } from './backup/load-postgres.ts';
export { createEndedMcpSessions, type EndedMcpSessions } from './ended-mcp-sessions.ts';
export { HEADS, TOOL_DECISIONS, type Heads } from './heads.ts';
export { foreignInPostgres, foreignInSqlite } from './foreign-objects.ts';
export { createGroupCommit, type GroupCommit } from './group-commit.ts';
export { unknownMigrations } from './migrate.ts';
export { WHO_COLUMNS, WRONG_WHO } from './migrations/0014-who.ts';
export { moveTables } from './move-tables.ts';
export { createBlip, type Blip } from './postgres/blip.ts';
export { createClientFor, displayUrl } from './postgres/connection.ts';
export type { PostgresDatabase } from './postgres/database.ts';
export { errorCode, errorReason, isServerFailure, unavailable, wasCut } from './postgres/errors.ts';
export type {
  ActivityTable,
  ApprovalCallsTable,
  ApprovalsTable,
  BackgroundCallsTable,
  ConversationMessagesTable,
  ConversationsTable,
  GrantsTable,
  KnownToolsTable,
  Tables,
  TasksTable,
  TokensTable,
} from './schema.ts';
export { openPostgresReadOnly, type ReadOnlyPostgres } from './postgres/read-only.ts';
export { openSqliteReadOnly, openUntouched, type ReadOnlySqlite } from './sqlite/read-only.ts';
export type { SqliteDatabase, WriteOp } from './sqlite/database.ts';
export { withSecureDelete } from './sqlite/dialect.ts';
export { type Sqlite, type Statement, createMutex } from './sqlite/sqlite.ts';
export { openRowSeal } from './seal/open-row-seal.ts';
export { markRowsRestored } from './seal/seen-versions.ts';
export { latestRow, type BrokenRow, type RowSeal, type SealTrouble } from './seal/row-seal.ts';
export { rowParts, type SealedTable } from './seal/sealed-columns.ts';
export { createRelay, SESSION_TOPIC, type Relay } from './relay/relay.ts';
export { createSessionSettings, type SessionSettings } from './relay/session-settings.ts';
export { readStateKey } from './state-key.ts';
