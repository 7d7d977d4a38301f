import type { Log } from '../../lib/log.ts';
import type { ApprovalRow } from './approval-row.ts';
import type { GrantStore } from './grant-store.ts';
import type { HoldStore } from './hold-store.ts';
import type { Holds } from './holds.ts';
import type { Runs } from '../runs.ts';

export interface UpkeepParts {
  store: HoldStore;
  grants: GrantStore;
  holds: Holds;
  runs: Runs;
  runner: string;
  now: () => number;
  changed: (row: ApprovalRow) => void;
  /** Used, and nobody knows how it ended. */
  abandoned: (row: ApprovalRow) => void;
  retentionDays: () => number;
  log: Log;
}

const SWEEP_MS = 5_000;
const PRUNE_MS = 3_600_000;
const DAY_MS = 86_400_000;
const MAX_KEPT = 100_000;

export interface Upkeep {
  /** What an earlier run of this proxy has left in use. */
  recover(): Promise<number>;
  sweep(): Promise<void>;
  stop(): void;
}

/** Whoever looks at an approval finds it expired when it is; this is for those that nobody looks at. */
export function startUpkeep(parts: UpkeepParts): Upkeep {
  const { store, grants, holds, runs, runner, now, changed, abandoned, retentionDays, log } = parts;
  let busy = false;
  let prunedAt = now();

  async function giveUp(whose: string | undefined): Promise<number> {
    const rows = await store.abandoned(now(), whose);
    for (const row of rows) {
      changed(row);
      abandoned(row);
    }
    return rows.length;
  }

  async function sweep(): Promise<void> {
    for (const { id } of await store.overdue(now())) await holds.expire(id);
    await runs.renew();
    await giveUp(undefined);
    await store.eraseLeftCalls();
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
      .catch((error: unknown) => log.warn({ err: error }, 'approvals could not be swept'))
      .finally(() => (busy = false));
  }, SWEEP_MS);
  timer.unref();

  return { recover: () => giveUp(runner), sweep, stop: () => clearInterval(timer) };
}
