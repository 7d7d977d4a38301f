import type { Selectable } from 'kysely';
import type { Approval, ApprovalStatus } from '../../contract/approval.ts';
import { variantFor } from '../../contract/operation.ts';
import type { ApprovalsTable } from '../../db/index.ts';
import { exactJson, exactValue, isObject, parseExact } from '../../json/index.ts';
import { newId } from '../../lib/clock.ts';
import type { ApprovalRequest, BoundCall, FindMasked, Mask } from '../approval-request.ts';
import { exactCall, exactCallText, type KeptCall } from './exact-call.ts';

export type ApprovalRow = Selectable<ApprovalsTable>;

/** `isChanged`: its seal does not hold. */
export type ListedRow = ApprovalRow & { isChanged?: true };

const MAX_SHOWN_BYTES = 262_144;
const MAX_TEXT = 1000;

/** Fields that are only displayed, stored as one JSON text. */
type DisplayFields = Pick<
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

export interface NewApproval {
  row: ApprovalRow;
  /** Present where the row alone does not show the complete call. */
  call: KeptCall | undefined;
}

export interface Masking {
  mask: Mask;
  findMasked: FindMasked;
  /** Keyed: the digest is stored and shown beside masked arguments, which must not be found by trying. */
  digestOf: (call: BoundCall) => string;
}

export function newApproval(
  request: ApprovalRequest,
  now: number,
  { mask, findMasked, digestOf }: Masking,
): NewApproval {
  const shown = displayFields(request, mask);
  const about = { digest: digestOf(request), now };
  if (isCompleteInList(shown)) return { row: newRow(request, about, shown), call: undefined };
  const sent = exactCall(request, findMasked);
  const exact = exactCallText(sent);
  // A truncated value differs too, but not because of a mask.
  const isMasked = sent.masked_parts.length > 0 || !shown.arguments_truncated;
  const row = newRow(request, about, { ...shown, arguments_masked: isMasked });
  const call = {
    approval_id: row.id,
    principal: row.principal,
    exact,
    bytes: Buffer.byteLength(exact),
    revealed_ms: null,
    seal: null,
  };
  return { row, call };
}

/** Whether a listing shows the complete call, to the last character. */
export function isCompleteInList(shown: Pick<Approval, 'arguments_truncated' | 'arguments_masked'>): boolean {
  return !shown.arguments_truncated && !shown.arguments_masked;
}

function newRow(
  request: ApprovalRequest,
  { digest, now }: { digest: string; now: number },
  shown: DisplayFields,
): ApprovalRow {
  const { caller, ttlMs } = request;
  return {
    id: newId(),
    status: 'pending' satisfies ApprovalStatus,
    scope: request.scope,
    digest,
    principal: caller.principal,
    token_id: caller.token?.id ?? null,
    user_id: caller.userId,
    conversation_id: caller.conversationId ?? null,
    server: request.server,
    tool: request.tool,
    operation: request.operation,
    server_identity: request.serverIdentity,
    definition_hash: request.definitionHash,
    policy_version: request.policyVersion,
    rule: request.rule,
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
    record_id: request.recordId ?? null,
    grant_id: null,
    runner: null,
    lease_ms: null,
    seal: null,
  };
}

function displayFields(request: ApprovalRequest, mask: Mask): DisplayFields {
  const { chosen, verdict, hints, caller } = request;
  const { client, sessionId } = caller;
  const { input_responses: responses, ...shown } = displayArguments(request, mask);
  const description = displayText(request.description, mask);
  const reason = displayText(request.reason, mask);
  // The order of the keys is the order in the stored text.
  return {
    ...shown,
    ...(chosen && { tool_variant: variantFor(chosen) }),
    ...(responses !== undefined && { input_responses: responses }),
    ...(description !== undefined && { description }),
    ...(verdict && { verdict }),
    ...(hints && { hints }),
    source: caller.source,
    ...(client && { client }),
    ...(sessionId && { session_id: sessionId }),
    ...(reason !== undefined && { reason }),
  };
}

type DisplayArguments = Pick<
  DisplayFields,
  'arguments' | 'arguments_truncated' | 'arguments_masked' | 'input_responses'
>;

function displayArguments({ args, brought }: ApprovalRequest, mask: Mask): DisplayArguments {
  const sent = mask(args, MAX_SHOWN_BYTES);
  const inputResponses = brought?.inputResponses;
  const responses = inputResponses === undefined ? null : mask(inputResponses, MAX_SHOWN_BYTES);
  return {
    arguments: sent === null ? null : parseExact(sent.text),
    arguments_truncated: sent === null || sent.truncated || (responses?.truncated ?? false),
    arguments_masked: isAltered(sent, args) || isAltered(responses, inputResponses),
    ...(responses && { input_responses: parseExact(responses.text) }),
  };
}

function displayText(text: string | undefined, mask: Mask): string | undefined {
  const masked = text === undefined ? null : mask(text, 4 * MAX_TEXT);
  return masked ? textOf(masked.text) : undefined;
}

/** Compares with the original value instead of searching for masks, so that every change by the mask is noticed. */
function isAltered(masked: ReturnType<Mask>, value: unknown): boolean {
  return value !== undefined && masked?.text !== exactJson(exactValue(value));
}

/** The mask turns a text that is too long into an object that says so. */
function textOf(json: string): string {
  const value: unknown = JSON.parse(json);
  return typeof value === 'string' ? value : json;
}

/** A row that was changed outside of mcpproxy, and cannot be read, must not hide the others of a listing. It is never used. */
function readShown(text: string): DisplayFields {
  try {
    const shown = parseExact(text);
    if (isObject(shown)) return shown as unknown as DisplayFields;
  } catch {
    // Shown without its call.
  }
  return { arguments: null, arguments_truncated: true, arguments_masked: true, source: 'api' };
}

export function toApproval(row: ListedRow): Approval {
  const shown = readShown(row.shown);
  // Rows of an earlier version do not have this field.
  shown.arguments_masked ??= row.shown.includes('***[masked:');
  return {
    id: row.id,
    status: row.status as ApprovalStatus,
    ...(row.isChanged && { changed: true }),
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

/** A time that is none, as in a row that was changed outside of mcpproxy, is shown as 1970. */
export function iso(ms: number): string {
  const date = new Date(ms);
  return new Date(Number.isNaN(date.getTime()) ? 0 : date).toISOString();
}
