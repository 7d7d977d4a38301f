import type {
  ActivityFilter,
  ActivityPage,
  ActivityRecord,
  ActivitySeries,
  ActivitySummary,
  ActivityVerification,
  SeriesQuery,
  SummaryPeriod,
} from '../contract/activity.ts';
import type { Facts } from './record/facts.ts';
import type { OpenRecord, RecordDraft } from './record/record.ts';
import type { Redaction } from './chain/redact.ts';
import type { ActivityState } from './record/unsaved.ts';
import type { VerifyOptions } from './verify/verification.ts';

/** The activity log. Everything but `open` is asynchronous, so that another database can stand behind it. */
export interface Activity {
  open(draft: RecordDraft): OpenRecord;
  /** Newest first. */
  list(filter: ActivityFilter, page: { limit: number; cursor?: string | undefined }): Promise<ActivityPage>;
  get(id: string): Promise<ActivityRecord | undefined>;
  summary(period: SummaryPeriod): Promise<ActivitySummary>;
  /** Counts over time, for charts. */
  series(query: SeriesQuery): Promise<ActivitySeries>;
  /** Oldest first; what is opened after the start is not part of it. */
  export(filter: ActivityFilter): AsyncIterable<ActivityRecord>;
  stats(): Promise<{ records: number; last_24h: number; refused_24h: number }>;
  /** Applies the retention limits now; gives the number of records removed. */
  sweep(): Promise<number>;
  /** Removes the payload of a record and keeps the chain whole; undefined where there is no such record. */
  redact(id: string, redaction: Redaction): Promise<ActivityRecord | undefined>;
  /** Whether records arrive on disk, and how many wait for that. */
  state(): ActivityState;
  /** Hears how long each group of records took to get to disk. */
  onWrite(listener: (ms: number) => void): void;
  /** Signs the head of the chain now, where it has grown. */
  checkpoint(): Promise<void>;
  /** Checks every link and every record against the chain. */
  verify(options?: VerifyRequest): Promise<ActivityVerification>;
  /** The whole log with its chain, line by line. */
  sealed(): AsyncIterable<string>;
  /** What the chains tell, writer by writer, for those who follow along. */
  readonly facts: Facts;
  /** Writes what is queued and stops all work in the background. The database stays open. */
  close(): Promise<void>;
}

/** What whoever asks may say. */
export type VerifyRequest = Pick<VerifyOptions, 'checkpoints' | 'publicKey'> & {
  signal?: AbortSignal | undefined;
};
