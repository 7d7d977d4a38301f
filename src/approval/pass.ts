import type { Approval } from '../contract/approval.ts';
import type { CallResult } from '../contract/call.ts';
import type { ProxyError } from '../contract/errors.ts';
import { toApproval, type ApprovalRow } from './store/approval-row.ts';
import {
  cancelled,
  denied,
  expired,
  outcomeUnknown,
  stillPending,
  tooManyHeld,
  usedElsewhere,
} from './answers.ts';
import type { HeldRequests } from './held-requests.ts';
import type { Holds } from './store/holds.ts';
import type { Question } from './question.ts';
import type { Runs } from './runs.ts';
import type { Waiter, Waiters } from './waiters.ts';
import type { Waiting, Pass } from './hold.ts';

interface PassParts {
  holds: Holds;
  waiters: Waiters;
  held: HeldRequests;
  /** Requests of one client that may wait at once. */
  mostHeld: () => number;
  runs: Runs;
  now: () => number;
  /** The proxy is stopping: nobody is kept waiting. */
  stopping: () => boolean;
}

const PROGRESS_MS = 5_000;

/** Waits for a person and uses the approval, once. Throws what the caller is to be told otherwise. */
export async function passHold(
  parts: PassParts,
  question: Question,
  waiting: Waiting,
  approvalId?: string,
): Promise<Pass> {
  const { holds, waiters, held } = parts;
  const before = held.count(question.caller);
  const leave = held.enter(question.caller);
  try {
    const first =
      approvalId === undefined ? await holds.attach(question) : await holds.named(approvalId, question);
    if (first.status === 'pending' && before >= parts.mostHeld())
      throw tooManyHeld(toApproval(first), before);
    const waiter = waiters.enter(first.id, waiting.signal);
    const stopProgress =
      first.status === 'pending'
        ? tellHeld(toApproval(first), waiting, () => waiters.wake(first.id))
        : () => {};
    try {
      return await untilSettled(parts, first, waiter, waiting, question);
    } finally {
      stopProgress();
      waiter.leave();
    }
  } finally {
    leave();
  }
}

async function untilSettled(
  parts: PassParts,
  first: ApprovalRow,
  waiter: Waiter,
  waiting: Waiting,
  question: Question,
): Promise<Pass> {
  const { holds, runs, now } = parts;
  const deadline = performance.now() + waiting.waitMs;
  for (let row = first; ; row = await holds.current(first.id)) {
    const approval = toApproval(row);
    switch (approval.status) {
      case 'pending': {
        if (waiting.signal.aborted) throw await leave(parts, approval, waiting);
        const left = waiting.hold?.isAsking?.() ? Number.POSITIVE_INFINITY : deadline - performance.now();
        if (left <= 0 || parts.stopping()) throw stillPending(approval);
        await waiter.stirred(Math.min(left, row.expires_ms - now() + 1));
        break;
      }
      case 'approved': {
        if (waiting.signal.aborted) throw await leave(parts, approval, waiting);
        if (waiting.hold?.listening?.() === false) throw stillPending(approval);
        if (await runs.spend(approval.id, question))
          return { trail: trailOf(approval), ...runs.started(approval.id, question.caller) };
        break;
      }
      case 'running':
      case 'executed': {
        // A result is shared with those who waited for it together, not handed out again afterwards.
        if (first.status === 'executed') throw usedElsewhere(approval);
        await runs.ready(approval.id);
        const running = runs.join(approval.id);
        if (running) return shared(approval, running);
        throw usedElsewhere(approval);
      }
      case 'denied':
        throw denied(approval);
      case 'expired':
        await holds.tell(approval.id);
        throw expired(approval);
      case 'unknown':
        await holds.tell(approval.id);
        throw outcomeUnknown(approval);
      case 'cancelled':
        throw cancelled(approval);
    }
  }
}

/** The caller has gone. In the newer protocol that is a withdrawal, unless the same call waits in another request too. */
async function leave(
  { holds, waiters }: PassParts,
  approval: Approval,
  { hold }: Waiting,
): Promise<ProxyError> {
  if (hold?.withdrawn?.() !== true || waiters.count(approval.id) > 1) return stillPending(approval);
  return cancelled(await holds.cancel(approval.id, 'the caller closed the request', approval.principal));
}

function shared(approval: Approval, result: Promise<CallResult>): Pass {
  const nothing = async () => {};
  return {
    trail: { ...trailOf(approval), shared: true },
    shared: result,
    giveBack: nothing,
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

function tellHeld(approval: Approval, { hold, onProgress }: Waiting, recheck: () => void): () => void {
  hold?.onHeld?.(approval, recheck);
  const released = () => hold?.onReleased?.();
  if (!onProgress) return released;
  let beats = 0;
  // Values close to nothing: progress must rise, and that of the tool itself comes after it.
  const tell = () => onProgress({ progress: ++beats * 1e-6, message: `waiting for approval ${approval.id}` });
  tell();
  const timer = setInterval(tell, PROGRESS_MS);
  return () => {
    clearInterval(timer);
    released();
  };
}
