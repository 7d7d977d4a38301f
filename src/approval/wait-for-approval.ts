import type { Approval } from '../contract/approval.ts';
import type { CallResult } from '../contract/call.ts';
import type { ProxyError } from '../contract/errors.ts';
import {
  cancelled,
  denied,
  expired,
  outcomeUnknown,
  stillPending,
  tooManyWaiting,
  usedElsewhere,
  waitingText,
} from './approval-errors.ts';
import type { ApprovalRequest } from './approval-request.ts';
import type { CallPermit, Runs } from './runs.ts';
import type { ApprovalRequests } from './store/approval-requests.ts';
import { toApproval, type ApprovalRow } from './store/approval-row.ts';
import type { Waiter, Waiters, WaitOptions, WaitingRequests } from './waiters.ts';

interface WaitParts {
  requests: ApprovalRequests;
  waiters: Waiters;
  waitingRequests: WaitingRequests;
  /** Requests of one client that may wait at the same time. */
  maxWaiting: () => number;
  runs: Runs;
  now: () => number;
  /** The proxy is stopping: no request may wait any longer. */
  isStopping: () => boolean;
}

/** One request that waits for an approval. */
interface Attempt {
  first: ApprovalRow;
  request: ApprovalRequest;
  waiting: WaitOptions;
  waiter: Waiter;
  deadline: number;
}

type WaitForApproval = (
  request: ApprovalRequest,
  waiting: WaitOptions,
  approvalId?: string,
) => Promise<CallPermit>;

const PROGRESS_MS = 5_000;
const SETTLED_ERRORS = { denied, cancelled, expired, unknown: outcomeUnknown };

/** Waits for a person and uses the approval, once. Throws the error for the caller where the call must not run. */
export function createWaitForApproval(parts: WaitParts): WaitForApproval {
  const { requests, waiters, waitingRequests, runs, now } = parts;

  async function waitForRow(
    first: ApprovalRow,
    request: ApprovalRequest,
    waiting: WaitOptions,
  ): Promise<CallPermit> {
    const waiter = waiters.enter(first.id, waiting.signal, waiting.hooks?.requester);
    const stopReporting =
      first.status === 'pending'
        ? reportWait(toApproval(first), waiting, () => waiters.wake(first.id))
        : () => {};
    try {
      const deadline = performance.now() + waiting.waitMs;
      return await untilUsed({ first, request, waiting, waiter, deadline });
    } finally {
      stopReporting();
      waiter.leave();
    }
  }

  async function untilUsed(attempt: Attempt): Promise<CallPermit> {
    for (let row = attempt.first; ; row = await requests.current(row.id)) {
      const permit = await advance(attempt, row);
      if (permit) return permit;
    }
  }

  /** Undefined: the approval has to be read again. */
  async function advance(attempt: Attempt, row: ApprovalRow): Promise<CallPermit | undefined> {
    const approval = toApproval(row);
    switch (approval.status) {
      case 'pending':
        return waitWhilePending(attempt, approval, row.expires_ms);
      case 'approved':
        return use(attempt, approval);
      case 'running':
      case 'executed':
        return shareResult(attempt, approval);
      case 'expired':
      case 'unknown':
        await requests.markReported(approval.id);
        throw SETTLED_ERRORS[approval.status](approval);
      case 'denied':
      case 'cancelled':
      default:
        throw SETTLED_ERRORS[approval.status](approval);
    }
  }

  async function waitWhilePending(
    { waiting, waiter, deadline }: Attempt,
    approval: Approval,
    expiresMs: number,
  ): Promise<undefined> {
    if (waiting.signal.aborted) throw await callerGone(approval, waiting);
    const left = waiting.hooks?.isAsking?.() ? Number.POSITIVE_INFINITY : deadline - performance.now();
    if (left <= 0 || parts.isStopping()) throw stillPending(approval);
    await waiter.woken(Math.min(left, expiresMs - now() + 1));
  }

  async function use({ waiting, request }: Attempt, approval: Approval): Promise<CallPermit | undefined> {
    if (waiting.signal.aborted) throw await callerGone(approval, waiting);
    if (waiting.hooks?.isListening?.() === false) throw stillPending(approval);
    if (!(await runs.spend(approval.id, request))) return undefined;
    return { trail: trailOf(approval), ...runs.permit(approval.id, request.caller) };
  }

  /** A result is shared with the requests that waited for it together, and not given out again later. */
  async function shareResult({ first }: Attempt, approval: Approval): Promise<CallPermit> {
    if (first.status === 'executed') throw usedElsewhere(approval);
    await runs.whenSpent(approval.id);
    const result = runs.resultOf(approval.id);
    if (!result) throw usedElsewhere(approval);
    return shared(approval, result);
  }

  /** With the newer protocol a caller that leaves withdraws its request, unless another client asked for the same call too. */
  async function callerGone(approval: Approval, { hooks }: WaitOptions): Promise<ProxyError> {
    if (hooks?.isWithdrawn?.() !== true || waiters.isShared(approval.id)) return stillPending(approval);
    const why = 'the caller closed the request';
    return cancelled(await requests.cancel(approval.id, why, approval.principal));
  }

  return async function waitForApproval(request, waiting, approvalId) {
    const before = waitingRequests.count(request.caller);
    const leave = waitingRequests.enter(request.caller);
    try {
      const first = await (approvalId === undefined
        ? requests.attach(request)
        : requests.named(approvalId, request));
      if (first.status === 'pending' && before >= parts.maxWaiting())
        throw tooManyWaiting(toApproval(first), before);
      return await waitForRow(first, request, waiting);
    } finally {
      leave();
    }
  };
}

function shared(approval: Approval, result: Promise<CallResult>): CallPermit {
  const nothing = async () => {};
  return {
    trail: { ...trailOf(approval), shared: true },
    shared: result,
    release: nothing,
    settle: nothing,
  };
}

function trailOf({
  id,
  rule,
  decided_by,
  decided_from,
  decided_at,
  decision_reason,
  scope,
}: Approval): Record<string, unknown> {
  return {
    id,
    rule,
    scope,
    decided_by,
    decided_from,
    decided_at,
    ...(decision_reason && { reason: decision_reason }),
  };
}

/** Tells the client that its call waits, now and every few seconds. Call the returned function when the wait ends. */
function reportWait(approval: Approval, { hooks, onProgress }: WaitOptions, recheck: () => void): () => void {
  hooks?.onPending?.(approval, recheck);
  const released = () => hooks?.onReleased?.();
  if (!onProgress) return released;
  let beats = 0;
  const message = waitingText(approval);
  // Progress must increase, and the progress of the tool itself comes later: hence the tiny values. With a total, clients show 0 %.
  const report = () => onProgress({ progress: ++beats * 1e-6, total: 1, message });
  report();
  const timer = setInterval(report, PROGRESS_MS);
  return () => {
    clearInterval(timer);
    released();
  };
}
