import type { ActivityMetadata } from '../contract/activity.ts';
import { settledText, type Approval, type DecidedFrom } from '../contract/approval.ts';
import type { Caller } from '../contract/call.ts';
import { durationMs } from '../contract/config.ts';
import { ProxyError, toProxyError } from '../contract/errors.ts';
import { newId } from '../lib/clock.ts';
import type { Requester } from '../lib/log.ts';
import {
  credentialName,
  decidedBy,
  deciderName,
  decisionDraft,
  recordDialogClosed,
  type Decision,
  type DecisionLog,
} from './audit-records.ts';
import type { ApprovalRequests } from './store/approval-requests.ts';
import { isCompleteInList, toApproval, type ApprovalRow } from './store/approval-row.ts';
import type { ApprovalStore } from './store/approval-store.ts';
import type { CallStore } from './store/exact-call.ts';
import type { GrantRow, GrantStore } from './store/grant-store.ts';

interface DecideParts {
  store: ApprovalStore;
  calls: CallStore;
  grants: GrantStore;
  requests: ApprovalRequests;
  activity: DecisionLog;
  inClient: () => boolean;
  now: () => number;
  changed: (row: ApprovalRow, by?: Requester) => void;
}

export type Decide = (id: string, decision: Decision) => Promise<Approval>;

/** Records a decision, then makes it by one conditional change. The first decision counts; a later one that differs is a conflict. */
export function createDecide(parts: DecideParts): Decide {
  return async function decide(id, decision) {
    const row = await parts.requests.current(id);
    const record = parts.activity.open(decisionDraft(row, decision));
    try {
      const objection = OBJECTIONS[decision.from](row, decision, parts.inClient());
      if (objection !== undefined) throw forbidden(objection, row);
      await requireRevealed(parts.calls, row, decision);
      await record.durable();
      const changed = await change(parts, row, decision);
      const after = changed ?? (await parts.requests.current(id));
      if (!changed) requireSameDecision(toApproval(after), decision);
      await record.close(
        changed
          ? {
              status: 'success',
              metadata: { first: true, ...decidedBy(row, decision), ...grantNote(after) },
            }
          : repeated(toApproval(after)),
      );
      return toApproval(after);
    } catch (cause) {
      const error = toProxyError(cause);
      const outcome = { status: error.outcome, error_code: error.code, error_message: error.message };
      // The caller gets the error of the decision, also where the log cannot be written.
      await record.close(outcome).catch(() => {});
      throw error;
    }
  };
}

/** The caller gets the approval as it is, but nobody decided anything. */
const repeated = (approval: Approval) => ({
  status: 'refused' as const,
  error_code: 'CONFLICT',
  error_message: `Repeat: approval ${approval.id} ${settledText(approval)}. Nothing was changed`,
  metadata: { first: false },
});

async function change(
  parts: DecideParts,
  row: ApprovalRow,
  decision: Decision,
): Promise<ApprovalRow | undefined> {
  const { store, grants, now } = parts;
  const grant =
    decision.decision === 'approve' && decision.grant ? newGrant(row, decision, now()) : undefined;
  const after = await store.decide(row.id, now(), {
    status: decision.decision === 'approve' ? 'approved' : 'denied',
    by: deciderName(decision),
    from: decision.from,
    reason: storable(decision.reason),
    grantId: grant?.id,
  });
  if (!after) return undefined;
  if (grant) await grants.add(grant);
  parts.changed(after, decision.caller);
  return after;
}

type Objection = (row: ApprovalRow, decision: Decision, inClient: boolean) => string | undefined;

/**
 * Deciding requires the operator's key. An agent token is never sufficient, nor is being the requester. The answer of a client counts only
 * where the operator allows it.
 */
const OBJECTIONS: Record<DecidedFrom, Objection> = {
  'in-client': clientObjection,
  conversation: conversationObjection,
  cli: operatorObjection,
  api: operatorObjection,
  web: operatorObjection,
};

function isRequester(row: ApprovalRow, caller: Caller): boolean {
  return caller.principal === row.principal && caller.userId === row.user_id;
}

function clientObjection(row: ApprovalRow, { caller }: Decision, inClient: boolean): string | undefined {
  if (!inClient) return 'The answer of a client does not count: approvals.in_client is off';
  return isRequester(row, caller) ? undefined : 'Only the client that asked can answer in its own dialog';
}

function conversationObjection(row: ApprovalRow, { caller }: Decision): string | undefined {
  const isOwn =
    row.scope === 'conversation' && isRequester(row, caller) && caller.conversationId === row.conversation_id;
  return isOwn ? undefined : 'This approval belongs to another conversation';
}

function operatorObjection(row: ApprovalRow, { caller, decision }: Decision): string | undefined {
  if (caller.principal !== 'operator' || caller.token)
    return `${credentialName(caller.principal)} may not decide: deciding requires the operator's key`;
  if (row.scope !== 'conversation' || decision !== 'approve') return undefined;
  return 'This is decided by the next message in its conversation';
}

/** A person can approve only a call that was shown completely. */
async function requireRevealed(
  calls: CallStore,
  row: ApprovalRow,
  { from, decision }: Decision,
): Promise<void> {
  if (decision !== 'approve' || from === 'conversation' || row.status !== 'pending') return;
  if (isCompleteInList(toApproval(row))) return;
  if (from === 'in-client')
    throw forbidden(
      'The dialog of the client cannot show the complete call, so the call cannot be approved there',
      row,
    );
  const revealed = await calls.revealedMs(row.id);
  if (revealed === undefined)
    throw forbidden(
      'The complete call can no longer be shown, so it cannot be approved. Deny it; the caller can request approval again',
      row,
    );
  if (revealed === null)
    throw forbidden(
      `Parts of this call are masked or truncated in listings. Read the complete call first (mcpproxy approvals show ${row.id}, or GET /approvals/${row.id}), then approve it`,
      row,
    );
}

function forbidden(why: string, { id }: ApprovalRow): ProxyError {
  return new ProxyError('APPROVAL_FORBIDDEN', why, { approval_id: id });
}

/** Throws where the approval was already settled differently. */
function requireSameDecision(approval: Approval, { decision }: Decision): void {
  const approved = ['approved', 'running', 'executed', 'unknown'].includes(approval.status);
  if (decision === 'approve' ? approved : approval.status === 'denied') return;
  throw new ProxyError('CONFLICT', `Approval ${approval.id} ${settledText(approval)}. Nothing was changed`, {
    approval_id: approval.id,
    status: approval.status,
    approval,
  });
}

function newGrant(row: ApprovalRow, decision: Decision, now: number): GrantRow {
  const { grant, reason, from } = decision;
  const { client } = toApproval(row);
  return {
    id: newId(),
    server: row.server,
    tool: row.tool,
    server_identity: row.server_identity,
    definition_hash: row.definition_hash,
    principal: row.principal,
    token_id: row.token_id,
    user_id: row.user_id,
    client: client ?? null,
    created_ms: now,
    created_by: deciderName(decision),
    created_from: from,
    expires_ms: now + durationMs(grant!.for),
    max_calls: grant!.max_calls ?? null,
    used: 0,
    reason: storable(reason) ?? null,
    approval_id: row.id,
    revoked_ms: null,
    revoked_by: null,
    seal: null,
  };
}

function grantNote({ grant_id: id }: ApprovalRow): ActivityMetadata {
  return id === null ? {} : { grant_id: id };
}

/** PostgreSQL accepts no NUL in a text. */
function storable(text: string | undefined): string | undefined {
  return text?.replaceAll('\0', '\ufffd');
}

/** The answer of a client to its dialog. */
export interface ClientAnswer {
  /** `error`: it could not show the dialog, or its answer was invalid. */
  action: 'accept' | 'decline' | 'cancel' | 'error';
  /** The choice of the person. Absent: no choice was made. */
  approve?: boolean | undefined;
}

interface AnswerParts {
  decide: Decide;
  requests: Pick<ApprovalRequests, 'current'>;
  activity: DecisionLog;
}

/**
 * Only an explicit choice is a decision, and only where the operator allows it; otherwise the attempt is refused and recorded. Any other
 * answer only closes the dialog: programs without a person decline, cancel and accept dialogs by themselves.
 */
export function createClientAnswers({ decide, requests, activity }: AnswerParts) {
  return async function acceptClientAnswer(
    id: string,
    { action, approve }: ClientAnswer,
    caller: Caller,
  ): Promise<void> {
    if (action === 'accept' && approve !== undefined) {
      await decide(id, { decision: approve ? 'approve' : 'deny', caller, from: 'in-client' });
      return;
    }
    const row = await requests.current(id);
    if (isRequester(row, caller) && row.status === 'pending')
      await recordDialogClosed(activity, row, { caller, answer: action });
  };
}
