/** The tables, as Kysely sees them. Each migration that changes one changes this file too. */
export interface Tables {
  activity: ActivityTable;
  activity_facet: ActivityFacetTable;
  activity_count: { scope: string; facet_id: number; bucket: number; n: number };
  activity_bucket: { first_seq: number };
  activity_state: { key: string; value: number };
  activity_reindex: { seq: number };
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
}
