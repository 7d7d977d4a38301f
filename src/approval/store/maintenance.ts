import type { Log } from '../../lib/log.ts';
import type { ApprovalRow } from './approval-row.ts';
import type { GrantStore } from './grant-store.ts';
import type { ApprovalRequests } from './approval-requests.ts';
import type { ApprovalStore } from './approval-store.ts';
import type { CallStore } from './exact-call.ts';
import type { Runs } from '../runs.ts';

export interface MaintenanceParts {
  store: ApprovalStore;
  calls: CallStore;
  grants: GrantStore;
  requests: ApprovalRequests;
  runs: Runs;
  runner: string;
  now: () => number;
  changed: (row: ApprovalRow) => void;
  /** The proxy that ran the call has stopped, so its outcome is unknown. */
  onAbandoned: (row: ApprovalRow) => void;
  retentionDays: () => number;
  log: Log;
}

const SWEEP_MS = 5_000;
const PRUNE_MS = 3_600_000;
const DAY_MS = 86_400_000;
const MAX_KEPT = 100_000;

export interface Maintenance {
  /** Marks calls as abandoned that an earlier run of this proxy left running. Returns their number. */
  recover(): Promise<number>;
  sweep(): Promise<void>;
  stop(): void;
}

/** Expires, renews, erases and deletes approvals in the background. Reading an approval expires it too. */
export function startMaintenance(parts: MaintenanceParts): Maintenance {
  const { store, calls, grants, requests, runs, runner, now, changed, onAbandoned, retentionDays, log } =
    parts;
  let busy = false;
  let prunedAt = now();

  async function markAbandoned(whose: string | undefined): Promise<number> {
    const rows = await store.markAbandoned(now(), whose);
    for (const row of rows) {
      changed(row);
      onAbandoned(row);
    }
    return rows.length;
  }

  async function sweep(): Promise<void> {
    for (const { id } of await store.overdue(now())) await requests.expire(id);
    await runs.renew();
    await markAbandoned(undefined);
    await calls.eraseSettled();
    if (now() - prunedAt < PRUNE_MS) return;
    prunedAt = now();
    const before = now() - retentionDays() * DAY_MS;
    await store.prune(before, MAX_KEPT);
    await grants.prune(before);
  }

  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    sweep()
      .catch((error: unknown) => log.warn({ err: error }, 'the maintenance of approvals failed'))
      .finally(() => (busy = false));
  }, SWEEP_MS);
  timer.unref();

  return { recover: () => markAbandoned(runner), sweep, stop: () => clearInterval(timer) };
}
