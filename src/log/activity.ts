import type {
  AcceptedRestore,
  ActivityBreakdown,
  ActivityPage,
  ActivityRecord,
  ActivitySeries,
  ActivitySummary,
  ActivityVerification,
  SeriesQuery,
  RecordFilter,
} from '../contract/activity.ts';
import type { Summarised, SummaryOptions } from './counts/summary.ts';
import type { Facts } from './record/facts.ts';
import type { OpenRecord, RecordDraft } from './record/record.ts';
import type { Redaction } from './chain/redact.ts';
import type { StoredJson } from './record/to-json.ts';
import type { ActivityState } from './record/unsaved.ts';
import type { VerifyOptions } from './verify/verification.ts';

/** The activity log, on SQLite or PostgreSQL. Everything but `open` is asynchronous. */
export interface Activity {
  open(draft: RecordDraft): OpenRecord;
  /** Newest first. */
  list(filter: RecordFilter, page: PageOfRecords): Promise<ActivityPage>;
  get(id: string): Promise<ActivityRecord | undefined>;
  summary(wanted: Summarised, options?: SummaryOptions): Promise<ActivitySummary>;
  /** Counts over time, for charts. */
  series(query: SeriesQuery): Promise<ActivitySeries>;
  /** Values with counts, points over time and groups of failures of the newest matching records. */
  breakdown(filter: RecordFilter, wanted: BreakdownWanted): Promise<ActivityBreakdown>;
  /** Oldest first. Records opened after the export starts are not included. */
  export(filter: RecordFilter, options?: { isLight?: boolean }): AsyncIterable<ActivityRecord>;
  stats(): Promise<{ records: number; last_24h: number; refused_24h: number }>;
  /** Applies the retention limits now. Returns the number of removed records. */
  sweep(): Promise<number>;
  /** Removes the payload of a record and keeps the chain intact. Undefined if there is no such record. */
  redact(id: string, redaction: Redaction): Promise<ActivityRecord | undefined>;
  /** JSON text for a person, masked as in the records. Null: there is no room for any. */
  mask: (value: unknown, maxBytes: number) => StoredJson | null;
  /** The digest by which a masked text can be recognised. */
  digest(text: string): string;
  /** Whether records reach the disk, and how many are waiting. */
  state(): ActivityState;
  /** Calls the listener with the duration of each group commit. */
  onWrite(listener: (ms: number) => void): void;
  /** Accepts that entries are missing: from now on the stored end of each log counts. */
  acceptRestore(): Promise<AcceptedRestore>;
  /** Signs the head of the chain if entries were added since the last checkpoint. */
  checkpoint(): Promise<void>;
  /** Checks every link and every record against the chain. */
  verify(options?: VerifyRequest): Promise<ActivityVerification>;
  /** The whole log with its chain, as lines of a sealed export. */
  sealed(): AsyncIterable<string>;
  /** The entries of all chains, for consumers that follow the log. */
  readonly facts: Facts;
  /** Writes queued records and stops background work. The database stays open. */
  close(): Promise<void>;
}

export interface BreakdownWanted {
  /** Maximum number of points over time. */
  buckets: number;
  /** Also from which agent to which tool. */
  flows?: boolean;
}

export interface PageOfRecords {
  limit: number;
  cursor?: string | undefined;
  /** Without arguments and responses. */
  isLight?: boolean;
}

/** A log that is only read: nothing is created or written for it. */
export type ActivityReader = Pick<
  Activity,
  'list' | 'get' | 'summary' | 'series' | 'breakdown' | 'export' | 'facts' | 'digest' | 'sealed'
>;

/** Options that a caller of `verify` may set. */
export type VerifyRequest = Pick<VerifyOptions, 'checkpoints' | 'witness' | 'publicKey'> & {
  signal?: AbortSignal | undefined;
};
