import type { ActivityRecord, ActivityStatus } from '../../../contract/activity.ts';
import type { AuditedAttempt } from '../../../contract/audit.ts';

/** Destructive attempts that did not run. The records about one approval are one attempt. */
export interface Attempts {
  /** A record of the credential; oldest first, as all others. */
  add(record: ActivityRecord, shown: AuditedAttempt): void;
  /** Any later record: it may tell how an attempt that waits has ended. */
  see(record: ActivityRecord): void;
  /** `used`: approvals with which a call ran. */
  result(used: ReadonlySet<string>): {
    did_not_run: number;
    did_not_run_by_status: Record<string, number>;
    attempts: AuditedAttempt[];
  };
}

export function createAttempts(most: number): Attempts {
  const waiting = new Map<string, AuditedAttempt>();
  const shown: AuditedAttempt[] = [];
  const statuses: Partial<Record<ActivityStatus, number>> = {};
  const count = (status: ActivityStatus, n = 1) => (statuses[status] = (statuses[status] ?? 0) + n);
  return {
    add({ approval_id: id, status }, attempt) {
      const known = id === undefined ? undefined : waiting.get(id);
      if (known) {
        if (known.status === 'pending') known.status = status;
        return;
      }
      if (id !== undefined) waiting.set(id, attempt);
      else count(status);
      if (shown.length < most) shown.push(attempt);
    },
    see(record) {
      const known = record.approval_id === undefined ? undefined : waiting.get(record.approval_id);
      const end = known && endOf(record);
      if (end) Object.assign(known, end);
    },
    result(used) {
      const ran = new Set<AuditedAttempt>();
      for (const [id, attempt] of waiting) {
        if (used.has(id)) ran.add(attempt);
        else count(attempt.status);
      }
      const attempts = shown.filter((attempt) => !ran.has(attempt));
      const n = Object.values(statuses).reduce((sum, each) => sum + each, 0);
      return { did_not_run: n, did_not_run_by_status: statuses, attempts };
    },
  };
}

/** A person's denial, or the end of an approval that nobody decided or used. */
function endOf(record: ActivityRecord): Partial<AuditedAttempt> | undefined {
  const { type, status, timestamp: ended_at, metadata, decided_by: by } = record;
  if (type === 'decision' && status === 'success' && metadata.action === 'deny') {
    const { reason } = Object(record.arguments) as { reason?: unknown };
    return {
      status: 'denied',
      ended_at,
      ...(by !== undefined && { ended_by: by }),
      ...(typeof reason === 'string' && { because: reason.slice(0, 300) }),
    };
  }
  return type === 'approval' && status === 'expired' ? { status, ended_at } : undefined;
}
