import type { Log } from '../../lib/log.ts';
import type { Excess } from './rank.ts';

/** What is over the limits of the log and stays, because changes are kept for a while. */
export interface OverLimit {
  records: number;
  mb: number;
}

const MB = 1_048_576;

/** Compares the log with its limits after each run of retention, and warns when it begins to be over one. */
export function createOverLimit(log: Log) {
  let over: OverLimit | undefined;
  return {
    state: () => over,
    look({ records, bytes }: Excess): void {
      const was = over;
      over = records > 0 || bytes > 0 ? { records, mb: Math.ceil(bytes / MB) } : undefined;
      if (over && !was)
        log.warn(
          over,
          'the activity log is over its limits: what is left are changes and decisions younger than activity.keep_changes_days',
        );
    },
  };
}
