import type { Generated } from 'kysely';

/** The tables, as Kysely sees them. Each migration that changes one changes this file too. */
export interface Tables {
  activity: ActivityTable;
  activity_facet: ActivityFacetTable;
  activity_count: { level: number; facet_id: number; bucket: number; n: number };
  activity_bucket: { level: number; first_seq: number };
  activity_minute: ActivitySeriesTable;
  activity_hour: ActivitySeriesTable;
  activity_state: { key: string; value: number };
  activity_reindex: { seq: number };
  activity_log: { log: number; log_id: string; public_key: string; base: string | null };
  activity_journal: { pos: number; seq: number | null; entry: string; hash: string };
  known_tools: KnownToolsTable;
  accepted_definitions: { server: string; tool: string; definition: string | null };
  tasks: TasksTable;
  conversations: ConversationsTable;
  conversation_messages: ConversationMessagesTable;
  approvals: ApprovalsTable;
  approval_calls: ApprovalCallsTable;
  grants: GrantsTable;
  tokens: TokensTable;
  token_state: { key: string; value: number };
  state_key: { id: number; key: string };
  ended_sessions: { owner: string; id: string; issued_ms: number };
  relayed_messages: { id: string; topic: string; seq: number; body: string; created_ms: number };
  session_settings: { session_id: string; name: string; value: string; changed_ms: number };
  row_key: { id: number; key_id: string | null };
  server_logins: ServerLoginsTable;
  background_calls: BackgroundCallsTable;
  config_revisions: ConfigRevisionsTable;
  config_head: { id: number; revision: number; seal: string | null };
  config_replicas: ConfigReplicasTable;
}

export interface ActivityTable {
  seq: number;
  facet_id: number;
  ts: number;
  id: string;
  request_id: string;
  session_id: string | null;
  conversation_id: string | null;
  client: string | null;
  server_name: string | null;
  tool_name: string | null;
  duration_ms: number | null;
  error_code: string | null;
  error_message: string | null;
  response_truncated: number;
  metadata: string;
  arguments: string | null;
  response: string | null;
  salt: string | null;
}

export interface ActivityFacetTable {
  id: number;
  type: string;
  source: string;
  status: string;
  operation_type: string | null;
  server_name: string | null;
  tool_name: string | null;
  unlisted: number;
  other_operations: string | null;
}

export interface ActivitySeriesTable {
  /** Minutes or hours since 1970. */
  at: number;
  n_read: number;
  n_write: number;
  n_destructive: number;
  n_other: number;
  n_refused: number;
  n_errors: number;
  n_decisions: number;
}

export interface KnownToolsTable {
  server: string;
  tool: string;
  definition_hash: string;
  hints: string;
  held_hints: string;
  operator_operation: string | null;
  operator_by: string | null;
  operator_at: string | null;
  first_seen: string;
  changed_at: string;
  server_identity: string;
  accepted_hash: string | null;
  accepted_identity: string | null;
  accepted_by: string | null;
  accepted_at: string | null;
  rejected_hash: string | null;
  rejected_identity: string | null;
  rejected_by: string | null;
  rejected_at: string | null;
  seal: string | null;
}

export interface TasksTable {
  seq: Generated<number>;
  id: string;
  user_id: string;
  description: string;
  status: string;
  created_at: string;
  completed_at: string | null;
}

export interface ConversationsTable {
  id: string;
  user_id: string;
  title: string;
  messages: number;
  created_at: string;
  updated_at: string;
  busy_by: string | null;
  busy_until: number | null;
}

export interface ConversationMessagesTable {
  id: string;
  conversation_id: string;
  n: number;
  role: string;
  content: string;
  created_at: string;
  context: string | null;
  decided: string | null;
  shown: string | null;
  mark: string | null;
}

export interface ApprovalsTable {
  id: string;
  status: string;
  scope: string;
  digest: string;
  principal: string;
  token_id: string | null;
  user_id: string;
  conversation_id: string | null;
  server: string;
  tool: string;
  operation: string;
  server_identity: string;
  definition_hash: string;
  policy_version: string;
  rule: string;
  shown: string;
  created_ms: number;
  ttl_ms: number;
  expires_ms: number;
  decided_ms: number | null;
  decided_by: string | null;
  decided_from: string | null;
  decision_reason: string | null;
  settled_ms: number | null;
  told: Generated<number>;
  record_id: string | null;
  grant_id: string | null;
  runner: string | null;
  lease_ms: number | null;
  seal: string | null;
}

export interface ApprovalCallsTable {
  approval_id: string;
  principal: string;
  exact: string;
  bytes: number;
  revealed_ms: number | null;
  seal: string | null;
}

export interface GrantsTable {
  id: string;
  server: string;
  tool: string;
  server_identity: string;
  definition_hash: string;
  principal: string;
  token_id: string | null;
  user_id: string;
  client: string | null;
  created_ms: number;
  created_by: string;
  created_from: string;
  expires_ms: number;
  max_calls: number | null;
  used: Generated<number>;
  reason: string | null;
  approval_id: string | null;
  revoked_ms: number | null;
  revoked_by: string | null;
  seal: string | null;
}

/** The log-in of the proxy to a server. */
export interface ServerLoginsTable {
  server: string;
  key_id: string;
  /** Encrypted: address, issuer, client and tokens. */
  box: string;
  version: number;
  busy_by: string | null;
  busy_until: number | null;
}

export interface TokensTable {
  id: string;
  name: string;
  digest: string;
  scope: string;
  user_id: string;
  created_at: string;
  created_by: string;
  expires_at: string | null;
  revoked_at: string | null;
  revoked_by: string | null;
  last_used_at: string | null;
  seal: string | null;
}

export interface ConfigRevisionsTable {
  revision: number;
  created_at: string;
  created_by: string;
  source: string;
  action: string;
  digest: string;
  changes: string;
  body: string;
  seal: string | null;
}

export interface ConfigReplicasTable {
  proxy: string;
  listen: string | null;
  source: string;
  revision: number | null;
  settings: string;
  seen_ms: number;
}

export interface BackgroundCallsTable {
  id: string;
  principal: string;
  token_id: string | null;
  user_id: string;
  client: string | null;
  request: string;
  server_task: string | null;
  status: string;
  message: string | null;
  input_requests: string | null;
  outcome: string | null;
  created_at: number;
  updated_at: number;
  ttl_ms: number;
  poll_ms: number | null;
  owner: string;
  lease_until: number;
  seal: string;
}
