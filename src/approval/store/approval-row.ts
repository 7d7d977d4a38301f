import type { Selectable } from 'kysely';
import type { Approval, ApprovalStatus } from '../../contract/approval.ts';
import type { ApprovalCallsTable, ApprovalsTable } from '../../db/index.ts';
import { exactJson, exactValue, parseExact } from '../../json/index.ts';
import { newId } from '../../lib/clock.ts';
import { callDigest } from '../policy/digest.ts';
import { exactCall, exactCallText } from '../exact-call.ts';
import type { FindMasked, Mask, Question } from '../question.ts';

export type ApprovalRow = Selectable<ApprovalsTable>;

const MAX_SHOWN_BYTES = 262_144;
const MAX_TEXT = 1000;

/** Fields that are only shown, kept as one JSON text. */
type Shown = Pick<
  Approval,
  | 'arguments'
  | 'arguments_truncated'
  | 'arguments_masked'
  | 'tool_variant'
  | 'input_responses'
  | 'description'
  | 'verdict'
  | 'hints'
  | 'source'
  | 'client'
  | 'session_id'
  | 'reason'
>;

export interface NewHold {
  row: ApprovalRow;
  /** There where the row alone does not show the call whole. */
  call: Selectable<ApprovalCallsTable> | undefined;
}

export function newHold(question: Question, now: number, mask: Mask, findMasked: FindMasked): NewHold {
  const shown = shownOf(question, mask);
  if (isShownInList(shown)) return { row: newRow(question, now, shown), call: undefined };
  const sent = exactCall(question, findMasked);
  const exact = exactCallText(sent);
  // What is only too long has been altered too, but not by a mask.
  const isMasked = sent.masked_parts.length > 0 || !shown.arguments_truncated;
  const row = newRow(question, now, { ...shown, arguments_masked: isMasked });
  const call = {
    approval_id: row.id,
    principal: row.principal,
    exact,
    bytes: Buffer.byteLength(exact),
    revealed_ms: null,
  };
  return { row, call };
}

/** Whether a listing shows everything that would be sent, to the last character. */
export function isShownInList(shown: Pick<Approval, 'arguments_truncated' | 'arguments_masked'>): boolean {
  return !shown.arguments_truncated && !shown.arguments_masked;
}

function newRow(question: Question, now: number, shown: Shown): ApprovalRow {
  const { caller, ttlMs } = question;
  return {
    id: newId(),
    status: 'pending' satisfies ApprovalStatus,
    scope: question.scope,
    digest: callDigest(question),
    principal: caller.principal,
    token_id: caller.token?.id ?? null,
    user_id: caller.userId,
    conversation_id: caller.conversationId ?? null,
    server: question.server,
    tool: question.tool,
    operation: question.operation,
    server_identity: question.serverIdentity,
    definition_hash: question.definitionHash,
    policy_version: question.policyVersion,
    rule: question.rule,
    shown: exactJson(shown)!,
    created_ms: now,
    ttl_ms: ttlMs,
    expires_ms: now + ttlMs,
    decided_ms: null,
    decided_by: null,
    decided_from: null,
    decision_reason: null,
    settled_ms: null,
    told: 0,
    record_id: question.recordId ?? null,
    grant_id: null,
    runner: null,
    lease_ms: null,
  };
}

function shownOf(question: Question, mask: Mask): Shown {
  const { caller, args, brought } = question;
  const shown = mask(args, MAX_SHOWN_BYTES);
  const responses =
    brought?.inputResponses === undefined ? null : mask(brought.inputResponses, MAX_SHOWN_BYTES);
  const short = (text: string | undefined) => (text === undefined ? undefined : mask(text, 4 * MAX_TEXT));
  const [reason, description] = [short(question.reason), short(question.description)];
  return {
    arguments: shown === null ? null : parseExact(shown.text),
    arguments_truncated: shown === null || shown.truncated || (responses?.truncated ?? false),
    arguments_masked: isAltered(shown, args) || isAltered(responses, brought?.inputResponses),
    ...(question.variant && { tool_variant: question.variant }),
    ...(responses && { input_responses: parseExact(responses.text) }),
    ...(description && { description: textOf(description.text) }),
    ...(question.verdict && { verdict: question.verdict }),
    ...(question.hints && { hints: question.hints }),
    source: caller.source,
    ...(caller.client && { client: caller.client }),
    ...(caller.sessionId && { session_id: caller.sessionId }),
    ...(reason && { reason: textOf(reason.text) }),
  };
}

/** Compared with the value itself, not found by looking for masks: whatever the mask did to it, it is noticed. */
function isAltered(masked: ReturnType<Mask>, value: unknown): boolean {
  return value !== undefined && masked?.text !== exactJson(exactValue(value));
}

/** A text that was too long has become an object that says so. */
function textOf(json: string): string {
  const value: unknown = JSON.parse(json);
  return typeof value === 'string' ? value : json;
}

export function toApproval(row: ApprovalRow): Approval {
  const shown = parseExact(row.shown) as Shown;
  // Rows of an earlier version do not say so.
  shown.arguments_masked ??= row.shown.includes('***[masked:');
  return {
    id: row.id,
    status: row.status as ApprovalStatus,
    scope: row.scope as Approval['scope'],
    server: row.server,
    tool: row.tool,
    operation: row.operation as Approval['operation'],
    ...shown,
    digest: row.digest,
    definition_hash: row.definition_hash,
    policy_version: row.policy_version,
    rule: row.rule,
    principal: row.principal,
    user_id: row.user_id,
    ...(row.conversation_id !== null && { conversation_id: row.conversation_id }),
    created_at: iso(row.created_ms),
    expires_at: iso(row.expires_ms),
    ...(row.decided_ms !== null && { decided_at: iso(row.decided_ms) }),
    ...(row.decided_by !== null && { decided_by: row.decided_by }),
    ...(row.decided_from !== null && { decided_from: row.decided_from as Approval['decided_from'] }),
    ...(row.decision_reason !== null && { decision_reason: row.decision_reason }),
    ...(row.settled_ms !== null && { settled_at: iso(row.settled_ms) }),
    ...(row.record_id !== null && { record_id: row.record_id }),
    ...(row.grant_id !== null && { grant_id: row.grant_id }),
  };
}

export function iso(ms: number): string {
  return new Date(ms).toISOString();
}
