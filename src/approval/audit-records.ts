import type { ActivityMetadata, ActivitySource, ActivityStatus } from '../contract/activity.ts';
import type { DecidedFrom, DecisionBody } from '../contract/approval.ts';
import { callerMetadata, type Caller } from '../contract/call.ts';
import type { ApprovalRow } from './store/approval-row.ts';
import type { GrantRow } from './store/grant-store.ts';

/** The part of the activity log that decisions need. */
export interface DecisionLog {
  open(draft: {
    type: 'approval' | 'decision';
    source: ActivitySource;
    server_name?: string;
    tool_name?: string;
    arguments?: unknown;
    request_id: string;
    session_id?: string;
    conversation_id?: string;
    client?: string;
    metadata: ActivityMetadata;
  }): {
    durable(): Promise<void>;
    close(outcome: {
      status: ActivityStatus;
      error_code?: string;
      error_message?: string;
      metadata?: ActivityMetadata;
    }): Promise<void>;
  };
}

/** A decision with who made it, and from where. */
export interface Decision extends DecisionBody {
  caller: Caller;
  from: DecidedFrom;
}

/** The credential for people: "token:NAME" looks like a secret, and the log would mask it. */
export function credentialName(principal: string): string {
  return principal.startsWith('token:') ? `${principal.slice('token:'.length)} (token)` : principal;
}

export function deciderName({ caller, from }: Decision): string {
  if (from === 'conversation') return caller.userId;
  return from === 'in-client' ? `the person at ${caller.client ?? 'the client'}` : caller.principal;
}

/** The draft of the record of a decision. */
export function decisionDraft(row: ApprovalRow, decision: Decision): Parameters<DecisionLog['open']>[0] {
  const { caller, from, reason, grant } = decision;
  return {
    type: 'decision',
    source: caller.source,
    server_name: row.server,
    tool_name: row.tool,
    arguments: {
      approval_id: row.id,
      decision: decision.decision,
      ...(reason && { reason }),
      ...(grant && { grant }),
    },
    request_id: caller.requestId,
    ...(caller.sessionId && { session_id: caller.sessionId }),
    ...(row.conversation_id !== null && { conversation_id: row.conversation_id }),
    ...(caller.client && { client: caller.client }),
    metadata: {
      action: decision.decision,
      approval: trailOf(row, from),
      ...callerMetadata(caller),
      // An agent that has the operator's key could approve its own calls: the record shows it.
      ...(from !== 'conversation' && row.principal === caller.principal && { same_principal: true }),
    },
  };
}

/** Describes the call, not the decision. */
const trailOf = (row: ApprovalRow, from: DecidedFrom) => ({
  id: row.id,
  digest: row.digest,
  asked_by: credentialName(row.principal),
  operation: row.operation,
  decided_from: from,
});

export const decidedBy = (row: ApprovalRow, decision: Decision): ActivityMetadata => ({
  approval: { ...trailOf(row, decision.from), decided_by: deciderName(decision) },
});

const OUTCOMES = {
  expired: {
    action: 'expire',
    code: 'APPROVAL_EXPIRED',
    message: 'nobody decided, or used the approval, in time',
  },
  unknown: {
    action: 'give up',
    code: 'OUTCOME_UNKNOWN',
    message: 'the proxy stopped while the approved call was running; whether it took effect is unknown',
  },
} as const;

/** Records an outcome that nobody decided. The outcome stands also where the record cannot be written. */
export function recordOutcome(activity: DecisionLog, row: ApprovalRow, status: keyof typeof OUTCOMES): void {
  const { action, code, message } = OUTCOMES[status];
  const record = activity.open({
    type: 'approval',
    source: 'system',
    server_name: row.server,
    tool_name: row.tool,
    request_id: row.id,
    ...(row.conversation_id !== null && { conversation_id: row.conversation_id }),
    metadata: {
      action,
      approval: {
        id: row.id,
        digest: row.digest,
        asked_by: credentialName(row.principal),
        operation: row.operation,
      },
    },
  });
  // A failing log reports itself (status, /readyz); the decision stands either way.
  record.close({ status, error_code: code, error_message: message }).catch(() => {});
}

/** Records that a client closed its dialog without a decision. */
export async function recordDialogClosed(
  activity: DecisionLog,
  row: ApprovalRow,
  { caller, answer }: { caller: Caller; answer: string },
): Promise<void> {
  const record = activity.open({
    type: 'approval',
    source: caller.source,
    server_name: row.server,
    tool_name: row.tool,
    arguments: { approval_id: row.id, answer },
    request_id: caller.requestId,
    ...(caller.sessionId && { session_id: caller.sessionId }),
    ...(caller.client && { client: caller.client }),
    metadata: {
      action: 'close dialog',
      approval: { id: row.id, digest: row.digest, asked_by: credentialName(row.principal) },
      ...callerMetadata(caller),
    },
  });
  await record.close({
    status: 'pending',
    error_code: 'APPROVAL_PENDING',
    error_message: `The client closed its dialog without a decision (${answer}). The call still waits for approval`,
  });
}

export async function recordGrantEnd(activity: DecisionLog, grant: GrantRow, caller: Caller): Promise<void> {
  const record = activity.open({
    type: 'decision',
    source: caller.source,
    server_name: grant.server,
    tool_name: grant.tool,
    arguments: { grant_id: grant.id },
    request_id: caller.requestId,
    ...(caller.client && { client: caller.client }),
    metadata: {
      action: 'revoke grant',
      grant_id: grant.id,
      ...callerMetadata(caller),
      granted_to: credentialName(grant.principal),
    },
  });
  await record.close({ status: 'success' });
}

export async function recordReveal(activity: DecisionLog, row: ApprovalRow, caller: Caller): Promise<void> {
  const record = activity.open({
    type: 'approval',
    source: caller.source,
    server_name: row.server,
    tool_name: row.tool,
    arguments: { approval_id: row.id },
    request_id: caller.requestId,
    ...(row.conversation_id !== null && { conversation_id: row.conversation_id }),
    ...(caller.client && { client: caller.client }),
    metadata: {
      action: 'show masked parts',
      approval: { id: row.id, digest: row.digest, asked_by: credentialName(row.principal) },
      ...callerMetadata(caller),
    },
  });
  await record.durable();
  await record.close({ status: 'success' });
}
