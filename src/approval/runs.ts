import type { CallResult } from '../contract/call.ts';
import { ProxyError } from '../contract/errors.ts';
import { ofRequest, type Log, type Requester } from '../lib/log.ts';
import type { ApprovalRow } from './store/approval-row.ts';
import type { HoldStore } from './store/hold-store.ts';
import type { Pass } from './hold.ts';
import type { Question } from './question.ts';

export interface RunParts {
  store: HoldStore;
  /** This proxy, also after a restart. */
  runner: string;
  now: () => number;
  changed: (row: ApprovalRow, by?: Requester) => void;
  log: Log;
}

export type Runs = ReturnType<typeof createRuns>;

/** A proxy that has not renewed its lease for so long is gone. */
const LEASE_MS = 60_000;
/** Requests that waited together with the one that ran get its result when they wake; they need no longer than this. */
const KEPT_MS = 5_000;

/** The request that wants to make the call. */
type User = Pick<Question, 'caller' | 'recordId'>;

interface Run {
  result: Promise<CallResult>;
  settle: (outcome: { result: CallResult } | { error: ProxyError }) => void;
  over: boolean;
}

/** Approvals in use. The use is on disk before the call is sent; how the call ended is written down after it. */
export function createRuns({ store, runner, now, changed, log }: RunParts) {
  const runs = new Map<string, Run>();
  const spending = new Map<string, Promise<boolean>>();

  async function take(id: string, { caller, recordId }: User): Promise<boolean> {
    const row = await store.spend(id, now(), { runner, leaseMs: now() + LEASE_MS, recordId });
    if (!row) return false;
    runs.set(id, newRun());
    changed(row, caller);
    return true;
  }

  /** True for the one request that makes the call. Others of this process wait for its attempt and then find the run. */
  async function spend(id: string, user: User): Promise<boolean> {
    const underWay = spending.get(id);
    if (underWay) {
      await underWay.catch(() => false);
      return false;
    }
    const attempt = take(id, user);
    spending.set(id, attempt);
    try {
      return await attempt;
    } finally {
      spending.delete(id);
    }
  }

  function close(id: string, outcome: { result: CallResult } | { error: ProxyError }): void {
    const run = runs.get(id);
    if (!run) return;
    run.over = true;
    run.settle(outcome);
    setTimeout(() => runs.get(id) === run && runs.delete(id), KEPT_MS).unref();
  }

  /** Where that fails, the approval is found to be of unknown outcome when its lease ends: never usable again. */
  async function note(id: string, status: 'executed' | 'unknown' | 'approved', by: Requester): Promise<void> {
    try {
      const row = await (status === 'approved' ? giveBack(id, by) : store.finish(id, runner, now(), status));
      if (row) changed(row, by);
    } catch (error) {
      log.error(
        { err: error, approval: id, ...ofRequest(by) },
        'the outcome of an approved call could not be written down',
      );
    }
  }

  async function giveBack(id: string, by: Requester): Promise<ApprovalRow | undefined> {
    try {
      return await store.giveBack(id, runner);
    } catch (error) {
      // The same call has been asked about anew, and there may be one open question only.
      log.debug({ err: error, approval: id, ...ofRequest(by) }, 'an approval could not be given back');
      return store.finish(id, runner, now(), 'cancelled');
    }
  }

  return {
    spend,
    /** The database may show a use before this process has heard that it succeeded. */
    ready: async (id: string): Promise<void> => void (await spending.get(id)?.catch(() => false)),
    isRunning: (id: string) => spending.has(id) || runs.get(id)?.over === false,
    /** The result of the call that is under way, or has just ended. */
    join: (id: string): Promise<CallResult> | undefined => runs.get(id)?.result,
    /** `by`: the request that makes the call. */
    started: (id: string, by: Requester): Omit<Pass, 'trail'> => ({
      async giveBack() {
        await note(id, 'approved', by);
        close(id, { error: notSent() });
      },
      async settle(outcome) {
        await note(id, statusAfter(outcome), by);
        close(id, outcome);
      },
    }),
    renew: () =>
      store.renew(
        [...runs].filter(([, run]) => !run.over).map(([id]) => id),
        runner,
        now() + LEASE_MS,
      ),
  };
}

function statusAfter(
  outcome: { result: CallResult } | { error: ProxyError },
): 'executed' | 'unknown' | 'approved' {
  if ('result' in outcome) return 'executed';
  const { code, details, outcome: how } = outcome.error;
  // It never left the proxy, so nothing was used up.
  if (code === 'SERVER_UNAVAILABLE' || code === 'SERVER_BUSY' || details.sent === false) return 'approved';
  return how === 'unknown' ? 'unknown' : 'executed';
}

function notSent(): ProxyError {
  return new ProxyError(
    'APPROVAL_PENDING',
    'The approved call was not sent, as something changed meanwhile; repeat the identical call',
  );
}

function newRun(): Run {
  let settle!: Run['settle'];
  const result = new Promise<CallResult>((resolve, reject) => {
    settle = (outcome) => ('result' in outcome ? resolve(outcome.result) : reject(outcome.error));
  });
  // Mostly nobody shares it.
  result.catch(() => {});
  return { result, settle, over: false };
}
