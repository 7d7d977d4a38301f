import type {
  ActivityMetadata,
  ActivitySource,
  ActivityStatus,
  ActivityType,
} from '../../contract/activity.ts';
import type { OperationType } from '../../contract/operation.ts';

/** The values of a record when it is opened. */
export interface RecordDraft {
  type: ActivityType;
  source: ActivitySource;
  server_name?: string;
  tool_name?: string;
  arguments?: unknown;
  request_id: string;
  session_id?: string;
  conversation_id?: string;
  client?: string;
  operation_type?: OperationType;
  metadata: ActivityMetadata;
}

/** The outcome of a record. Its metadata is merged into that of the draft. */
export interface Outcome {
  status: ActivityStatus;
  response?: unknown;
  error_code?: string;
  error_message?: string;
  metadata?: ActivityMetadata;
}

export interface OpenRecord {
  readonly id: string;
  /** Resolves once the opened record is on disk; rejects with AUDIT_UNAVAILABLE. */
  durable(): Promise<void>;
  /** Closes the record; resolves when it is on disk. Further calls do nothing. */
  close(outcome: Outcome): Promise<void>;
}
