import type { ActivityMetadata, ActivitySource, ActivityStatus } from '../contract/activity.ts';
import type { Approval, DecidedFrom, DecisionBody } from '../contract/approval.ts';
import type { Caller } from '../contract/call.ts';
import { durationMs } from '../contract/config.ts';
import { ProxyError, toProxyError } from '../contract/errors.ts';
import { newId } from '../lib/clock.ts';
import type { Requester } from '../lib/log.ts';
import { isShownInList, toApproval, type ApprovalRow } from './store/approval-row.ts';
import { credentialName } from './credential-name.ts';
import type { GrantRow, GrantStore } from './store/grant-store.ts';
import type { HoldStore } from './store/hold-store.ts';
import type { Holds } from './store/holds.ts';

/** The activity log, as far as decisions need it. */
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

/** Who decides, from where, and what. */
export interface Decision extends DecisionBody {
  caller: Caller;
  from: DecidedFrom;
}

interface DecideParts {
  store: HoldStore;
  grants: GrantStore;
  holds: Holds;
  activity: DecisionLog;
  inClient: () => boolean;
  now: () => number;
  changed: (row: ApprovalRow, by?: Requester) => void;
}

export type Decide = (id: string, decision: Decision) => Promise<Approval>;

/**
 * One decision: written down before it is made, made by one conditional change. Of several, the first counts; those who wanted the same
 * are told the same, those who wanted otherwise that they came too late.
 */
export function createDecide(parts: DecideParts): Decide {
  return async function decide(id, decision) {
    const row = await parts.holds.current(id);
    const record = parts.activity.open(draftOf(row, decision));
    try {
      mayDecide(row, decision, parts.inClient());
      await requireShown(parts.store, row, decision);
      await record.durable();
      const changed = await change(parts, row, decision);
      const after = changed ?? (await parts.holds.current(id));
      if (!changed) agree(toApproval(after), decision);
      await record.close({
        status: 'success',
        metadata: { first: changed !== undefined, ...madeBy(row, decision), ...grantNote(after) },
      });
      return toApproval(after);
    } catch (cause) {
      const error = toProxyError(cause);
      const said = { status: error.outcome, error_code: error.code, error_message: error.message };
      await record.close(said).catch(() => {});
      throw error;
    }
  };
}

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
    by: nameOf(decision),
    from: decision.from,
    reason: storable(decision.reason),
    grantId: grant?.id,
  });
  if (!after) return undefined;
  if (grant) await grants.add(grant);
  parts.changed(after, decision.caller);
  return after;
}

/**
 * Deciding takes the key of the operator. A token never suffices, and neither does being the one who asks; what the client program answers
 * counts where the operator has said so.
 */
function mayDecide(row: ApprovalRow, { caller, from, decision }: Decision, inClient: boolean): void {
  const asks = caller.principal === row.principal && caller.userId === row.user_id;
  switch (from) {
    case 'in-client':
      if (!inClient)
        throw forbidden('The answer of a client program does not count: approvals.in_client is off', row);
      if (!asks) throw forbidden('Only the client that asked can answer in its own dialog', row);
      return;
    case 'conversation':
      if (row.scope !== 'conversation' || !asks || caller.conversationId !== row.conversation_id)
        throw forbidden('This approval belongs to another conversation', row);
      return;
    case 'cli':
    case 'api':
    case 'web':
      if (caller.principal !== 'operator' || caller.token)
        throw forbidden(
          `${credentialName(caller.principal)} may not decide: that takes the key of the operator`,
          row,
        );
      if (row.scope === 'conversation' && decision === 'approve')
        throw forbidden('This is decided by the next message in its conversation', row);
  }
}

/** What a person has not been shown, nobody has approved. */
async function requireShown(store: HoldStore, row: ApprovalRow, { from, decision }: Decision): Promise<void> {
  if (decision !== 'approve' || from === 'conversation' || row.status !== 'pending') return;
  if (isShownInList(toApproval(row))) return;
  if (from === 'in-client')
    throw forbidden('A call that the dialog of a client cannot show whole cannot be approved there', row);
  const revealed = await store.revealedMs(row.id);
  if (revealed === undefined)
    throw forbidden(
      'The call cannot be shown whole, so it cannot be approved. Deny it; the caller can ask again later',
      row,
    );
  if (revealed === null)
    throw forbidden(
      `Parts of this call are masked or cut in listings. Read the whole call first (mcpproxy approvals show ${row.id}, or GET /approvals/${row.id}), then approve it`,
      row,
    );
}

function forbidden(why: string, { id }: ApprovalRow): ProxyError {
  return new ProxyError('APPROVAL_FORBIDDEN', why, { approval_id: id });
}

/** Too late, and settled otherwise: whoever decides must not believe that it was done. */
function agree(approval: Approval, { decision }: Decision): void {
  const approved = ['approved', 'running', 'executed', 'unknown'].includes(approval.status);
  if (decision === 'approve' ? approved : approval.status === 'denied') return;
  const by = approval.decided_by ? ` by ${approval.decided_by}` : '';
  throw new ProxyError(
    'CONFLICT',
    `Approval ${approval.id} is ${approval.status} already${by}; nothing was changed`,
    { approval_id: approval.id, status: approval.status, approval },
  );
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
    created_by: nameOf(decision),
    created_from: from,
    expires_ms: now + durationMs(grant!.for),
    max_calls: grant!.max_calls ?? null,
    used: 0,
    reason: storable(reason) ?? null,
    approval_id: row.id,
    revoked_ms: null,
    revoked_by: null,
  };
}

function nameOf({ caller, from }: Decision): string {
  if (from === 'conversation') return caller.userId;
  return from === 'in-client' ? `the person at ${caller.client ?? 'the client'}` : caller.principal;
}

function draftOf(row: ApprovalRow, decision: Decision): Parameters<DecisionLog['open']>[0] {
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
      principal: caller.principal,
      // Nothing but the door keeps an agent with the operator's key from deciding for itself.
      ...(from !== 'conversation' && row.principal === caller.principal && { same_principal: true }),
    },
  };
}

/** Of the call that was decided about, not of the decision: that one runs nothing. */
const trailOf = (row: ApprovalRow, from: DecidedFrom) => ({
  id: row.id,
  digest: row.digest,
  asked_by: credentialName(row.principal),
  operation: row.operation,
  decided_from: from,
});

const madeBy = (row: ApprovalRow, decision: Decision): ActivityMetadata => ({
  approval: { ...trailOf(row, decision.from), decided_by: nameOf(decision) },
});

function grantNote({ grant_id: id }: ApprovalRow): ActivityMetadata {
  return id === null ? {} : { grant_id: id };
}

/** Not every database takes a NUL. */
function storable(text: string | undefined): string | undefined {
  return text?.replaceAll('\0', '\ufffd');
}
