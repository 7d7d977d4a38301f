import type { CallResult } from '../contract/call.ts';
import { ProxyError } from '../contract/errors.ts';
import { ofRequest, type Log, type Requester } from '../lib/log.ts';
import type { RowSeal } from '../db/index.ts';
import type { ApprovalRow } from './store/approval-row.ts';
import type { ApprovalStore } from './store/approval-store.ts';
import type { ApprovalRequest } from './approval-request.ts';
import { SERVER_CHANGED, type ServerFence } from './server-change.ts';

/** The right to make one call. The approval or the grant counts as used. */
export interface CallPermit {
  /** For the record of the call. */
  trail: Record<string, unknown>;
  /** Present where another request makes the same call: its result is for both. */
  shared?: Promise<CallResult>;
  /** The call was not sent, so the approval or the grant may be used again. */
  release(): Promise<void>;
  settle(outcome: CallOutcome): Promise<void>;
}

type CallOutcome = { result: CallResult } | { error: ProxyError };

export interface RunParts {
  store: ApprovalStore;
  /** The id of this proxy, the same after a restart. */
  runner: string;
  now: () => number;
  changed: (row: ApprovalRow, by?: Requester) => void;
  /** Asked right before and after the use of an approval. */
  fence: () => ServerFence;
  seal: Pick<RowSeal, 'sync' | 'claim'>;
  log: Log;
}

export type Runs = ReturnType<typeof createRuns>;

/** A proxy that has not renewed its lease for so long has stopped. */
const LEASE_MS = 60_000;
const USED_ELSEWHERE =
  'another proxy has used it, or whether one has cannot be heard: the connection that listens to the database is lost';
/** Requests that waited for the same approval read the result of the call within this time. */
const RESULT_KEPT_MS = 5_000;

/** The request that makes the call. */
type RunRequest = Pick<ApprovalRequest, 'caller' | 'recordId'>;

type StoredOutcome = 'executed' | 'unknown' | 'approved';

interface Run {
  result: Promise<CallResult>;
  settle: (outcome: CallOutcome) => void;
  isOver: boolean;
}

/** Approvals in use. The use is on disk before the call is sent; the outcome is stored after it. */
export function createRuns({ store, runner, now, changed, fence, seal, log }: RunParts) {
  const runs = new Map<string, Run>();
  const spending = new Map<string, Promise<boolean>>();

  async function take(id: string, { caller, recordId }: RunRequest): Promise<boolean> {
    const isSameServer = fence().watch();
    const row = await store.spend(id, now(), { runner, leaseMs: now() + LEASE_MS, recordId });
    if (!row) return false;
    // Outside of the database too, before the call is sent: a database that loses the use does not make it possible again.
    await seal.sync();
    // Another proxy may have used it, and somebody else put its row back: all hear of each use in one order.
    const isFirst = await seal.claim('approvals', row);
    if (!(await isSameServer()) || !isFirst) {
      const why = isFirst ? SERVER_CHANGED : USED_ELSEWHERE;
      const ended = await store.finish(id, { runner, now: now(), status: 'cancelled', why });
      if (ended) changed(ended, caller);
      return false;
    }
    runs.set(id, newRun());
    changed(row, caller);
    return true;
  }

  /** True for the one request that makes the call. Other requests of this process wait for the attempt and then share the run. */
  async function spend(id: string, user: RunRequest): Promise<boolean> {
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

  function close(id: string, outcome: CallOutcome): void {
    const run = runs.get(id);
    if (!run) return;
    run.isOver = true;
    run.settle(outcome);
    setTimeout(() => runs.get(id) === run && runs.delete(id), RESULT_KEPT_MS).unref();
  }

  /** Where this fails, the approval gets an unknown outcome when its lease ends, and cannot be used again. */
  async function storeOutcome(id: string, status: StoredOutcome, by: Requester): Promise<void> {
    try {
      const row = await (status === 'approved'
        ? unspend(id, by)
        : store.finish(id, { runner, now: now(), status }));
      if (row) changed(row, by);
    } catch (error) {
      log.error(
        { err: error, approval: id, ...ofRequest(by) },
        'the outcome of an approved call could not be stored',
      );
    }
  }

  async function unspend(id: string, by: Requester): Promise<ApprovalRow | undefined> {
    try {
      return await store.unspend(id, runner);
    } catch (error) {
      // The same call has a new open request, and there may be only one.
      log.debug({ err: error, approval: id, ...ofRequest(by) }, 'an unused approval could not be released');
      return store.finish(id, { runner, now: now(), status: 'cancelled' });
    }
  }

  return {
    spend,
    /** Resolves when a use that is under way has succeeded or failed: the database may show it earlier. */
    whenSpent: async (id: string): Promise<void> => void (await spending.get(id)?.catch(() => false)),
    isRunning: (id: string) => spending.has(id) || runs.get(id)?.isOver === false,
    /** The result of the call that is running, or has just ended. */
    resultOf: (id: string): Promise<CallResult> | undefined => runs.get(id)?.result,
    /** `by`: the request that makes the call. */
    permit: (id: string, by: Requester): Omit<CallPermit, 'trail'> => ({
      async release() {
        await storeOutcome(id, 'approved', by);
        close(id, { error: notSent() });
      },
      async settle(outcome) {
        await storeOutcome(id, statusAfter(outcome), by);
        close(id, outcome);
      },
    }),
    renew: () =>
      store.renew(
        [...runs].filter(([, run]) => !run.isOver).map(([id]) => id),
        runner,
        now() + LEASE_MS,
      ),
  };
}

function statusAfter(outcome: CallOutcome): StoredOutcome {
  if ('result' in outcome) return 'executed';
  const { code, details, outcome: how } = outcome.error;
  // The call was not sent, so the approval is still unused.
  if (code === 'SERVER_UNAVAILABLE' || code === 'SERVER_BUSY' || details.sent === false) return 'approved';
  return how === 'unknown' ? 'unknown' : 'executed';
}

function notSent(): ProxyError {
  return new ProxyError(
    'APPROVAL_PENDING',
    'The approved call was not sent, because something changed meanwhile. Repeat the identical call',
  );
}

function newRun(): Run {
  let settle!: Run['settle'];
  const result = new Promise<CallResult>((resolve, reject) => {
    settle = (outcome) => ('result' in outcome ? resolve(outcome.result) : reject(outcome.error));
  });
  // Usually no other request shares it: a rejection is then nobody's concern.
  result.catch(() => {});
  return { result, settle, isOver: false };
}
