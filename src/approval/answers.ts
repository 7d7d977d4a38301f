import type { Approval } from '../contract/approval.ts';
import { ProxyError } from '../contract/errors.ts';

/** What a caller is told of a call that waits for a person, or waited. Each says that nothing ran, and what to do next. */
type Told = Pick<
  Approval,
  'id' | 'server' | 'tool' | 'expires_at' | 'decision_reason' | 'record_id' | 'status'
>;

const REPEAT = 'repeat the identical call';
const RETRY_AFTER_S = 5;

export function stillPending(approval: Told): ProxyError {
  const { id, server, tool, expires_at: expiry, status } = approval;
  const [what, next] =
    status === 'approved'
      ? ['is approved, and has not run yet', `${REPEAT} to run it`]
      : [
          'waits for a person to approve it, and has not run',
          `${REPEAT} to wait on and to get its result; the person decides with: mcpproxy approvals approve ${id}`,
        ];
  return new ProxyError(
    'APPROVAL_PENDING',
    `The call of '${server}:${tool}' ${what} (approval ${id}, until ${expiry}). To continue, ${next}`,
    { ...details(approval), expires_at: expiry, how_to_continue: next },
  );
}

/** Whoever holds so many requests open would leave no connections for others. */
export function tooManyHeld(approval: Told, requests: number): ProxyError {
  const { id, server, tool } = approval;
  return new ProxyError(
    'OVERLOADED',
    `The call of '${server}:${tool}' waits for a person to approve it (approval ${id}), but this client has ${requests} requests waiting for approval already (twice approvals.max_pending_per_caller), so this one was not kept waiting. It has not run; ${REPEAT} when some of them have ended`,
    { ...details(approval), requests, sent: false, retry_after_s: RETRY_AFTER_S },
  );
}

export function denied(approval: Told): ProxyError {
  const { id, server, tool, decision_reason: reason } = approval;
  return new ProxyError(
    'APPROVAL_DENIED',
    `The call of '${server}:${tool}' was denied by a person${reason ? `: ${reason}` : ' without a reason'} (approval ${id}). It did not run; do not repeat it unchanged`,
    { ...details(approval), ...(reason && { reason }) },
  );
}

export function expired(approval: Told): ProxyError {
  const { id, server, tool } = approval;
  return new ProxyError(
    'APPROVAL_EXPIRED',
    `Nobody approved the call of '${server}:${tool}' in time (approval ${id}). It did not run; ${REPEAT} to ask anew`,
    details(approval),
  );
}

export function cancelled(approval: Told): ProxyError {
  const { id, server, tool, decision_reason: why } = approval;
  return new ProxyError(
    'APPROVAL_CANCELLED',
    `The call of '${server}:${tool}' was withdrawn while it waited${why ? ` (${why})` : ''} (approval ${id}). It did not run`,
    details(approval),
  );
}

export function usedElsewhere(approval: Told): ProxyError {
  const { id, server, tool, record_id: record } = approval;
  return new ProxyError(
    'APPROVAL_USED',
    `The approved call of '${server}:${tool}' was made by another request (approval ${id}), which got its result. This one did not run; look before you ask anew`,
    { ...details(approval), ...(record && { record_id: record }) },
  );
}

export function outcomeUnknown(approval: Told): ProxyError {
  const { id, server, tool, record_id: record } = approval;
  return new ProxyError(
    'OUTCOME_UNKNOWN',
    `The approved call of '${server}:${tool}' was under way when the proxy ended (approval ${id}); it may have run. Look before you repeat it: then a person is asked anew`,
    { ...details(approval), ...(record && { record_id: record }) },
  );
}

function details({ id, server, tool, status }: Told): Record<string, unknown> {
  return { approval_id: id, status, tool: `${server}:${tool}` };
}
