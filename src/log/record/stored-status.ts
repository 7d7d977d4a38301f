import type { ActivityStatus } from '../../contract/activity.ts';

/**
 * A call that waits for a person is answered with "pending", and its record says so too; but that record is closed, and must not be taken
 * for one whose outcome was lost in a crash. So the log keeps a word of its own for it, which nobody outside gets to see.
 */
export type StoredStatus = ActivityStatus | 'held';

/** Of a record that is being closed. */
export const storedStatus = (status: ActivityStatus): StoredStatus =>
  status === 'pending' ? 'held' : status;

export const shownStatus = (status: StoredStatus): ActivityStatus => (status === 'held' ? 'pending' : status);
