import type { Caller } from '../contract/call.ts';
import type { ApprovalRow } from './store/approval-row.ts';
import { credentialName } from './credential-name.ts';
import type { DecisionLog } from './decide.ts';
import type { GrantRow } from './store/grant-store.ts';

const SAYS = {
  expired: {
    action: 'expire',
    code: 'APPROVAL_EXPIRED',
    message: 'nobody decided, or used the decision, in time',
  },
  unknown: {
    action: 'give up',
    code: 'OUTCOME_UNKNOWN',
    message: 'the proxy ended while the approved call was under way; whether it took effect is not known',
  },
} as const;

/** What happened to an approval without anybody's doing. It has happened, whether or not it can be written down. */
export function recordOutcome(activity: DecisionLog, row: ApprovalRow, status: keyof typeof SAYS): void {
  const { action, code, message } = SAYS[status];
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
  record.close({ status, error_code: code, error_message: message }).catch(() => {});
}

/** A client program closed its dialog, and nobody decided. The record names no decision and nobody who made one. */
export async function recordDialogClosed(
  activity: DecisionLog,
  row: ApprovalRow,
  caller: Caller,
  answer: string,
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
      principal: caller.principal,
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
      principal: caller.principal,
      granted_to: credentialName(grant.principal),
    },
  });
  await record.close({ status: 'success' });
}
