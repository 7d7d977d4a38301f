import type { Approval } from '../contract/approval.ts';
import { ProxyError } from '../contract/errors.ts';
import { visibleLine } from '../lib/visible-text.ts';

/** The fields of an approval that its errors mention. Each error says whether the call ran, and what to do next. */
type ErrorFields = Pick<
  Approval,
  'id' | 'server' | 'tool' | 'expires_at' | 'decision_reason' | 'record_id' | 'status'
>;

const REPEAT = 'repeat the identical call';
const RETRY_AFTER_S = 5;

const where = (id: string) => `mcpproxy approvals approve ${id}, or in the web UI`;

/** What waits and where it is decided, on one line that may be cut at its end. */
export function waitingText({ id, server, tool }: ErrorFields): string {
  return `${visibleLine(`${server}:${tool}`)} waits for a person: ${where(id)}`;
}

export function stillPending(approval: ErrorFields): ProxyError {
  const { id, server, tool, expires_at: expiry, status } = approval;
  const [what, next] =
    status === 'approved'
      ? ['is approved and has not run yet', `${REPEAT} to run it`]
      : [
          'waits for approval and has not run',
          `${REPEAT} to keep waiting and to get its result; a person approves it with: ${where(id)}`,
        ];
  return new ProxyError(
    'APPROVAL_PENDING',
    `The call of '${server}:${tool}' ${what} (approval ${id}, until ${expiry}). To continue, ${next}`,
    { ...details(approval), expires_at: expiry, how_to_continue: next },
  );
}

/** A client with too many waiting requests would leave no connections for others. */
export function tooManyWaiting(approval: ErrorFields, requests: number): ProxyError {
  const { id, server, tool } = approval;
  return new ProxyError(
    'OVERLOADED',
    `The call of '${server}:${tool}' waits for approval (approval ${id}), but this client already has ${requests} requests that wait for approval (twice approvals.max_pending_per_caller), so this one does not wait. It has not run; ${REPEAT} when some of them have ended`,
    { ...details(approval), requests, sent: false, retry_after_s: RETRY_AFTER_S },
  );
}

export function denied(approval: ErrorFields): ProxyError {
  const { id, server, tool, decision_reason: reason } = approval;
  return new ProxyError(
    'APPROVAL_DENIED',
    `The call of '${server}:${tool}' was denied by a person${reason ? `: ${reason}` : ' without a reason'} (approval ${id}). It did not run; do not repeat it unchanged`,
    { ...details(approval), ...(reason && { reason }) },
  );
}

export function expired(approval: ErrorFields): ProxyError {
  const { id, server, tool } = approval;
  return new ProxyError(
    'APPROVAL_EXPIRED',
    `Nobody approved the call of '${server}:${tool}' in time (approval ${id}). It did not run; ${REPEAT} to request a new approval`,
    details(approval),
  );
}

export function cancelled(approval: ErrorFields): ProxyError {
  const { id, server, tool, decision_reason: why } = approval;
  return new ProxyError(
    'APPROVAL_CANCELLED',
    `The call of '${server}:${tool}' was withdrawn while it waited${why ? ` (${why})` : ''} (approval ${id}). It did not run`,
    details(approval),
  );
}

export function usedElsewhere(approval: ErrorFields): ProxyError {
  const { id, server, tool, record_id: record } = approval;
  return new ProxyError(
    'APPROVAL_USED',
    `The approved call of '${server}:${tool}' was made by another request (approval ${id}), which got its result. This one did not run; check the result before you request a new approval`,
    { ...details(approval), ...(record && { record_id: record }) },
  );
}

export function outcomeUnknown(approval: ErrorFields): ProxyError {
  const { id, server, tool, record_id: record } = approval;
  return new ProxyError(
    'OUTCOME_UNKNOWN',
    `The approved call of '${server}:${tool}' was running when the proxy stopped (approval ${id}); it may have taken effect. Check before you repeat it, which requests a new approval`,
    { ...details(approval), ...(record && { record_id: record }) },
  );
}

function details({ id, server, tool, status }: ErrorFields): Record<string, unknown> {
  return { approval_id: id, status, tool: `${server}:${tool}` };
}
