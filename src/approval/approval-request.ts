import { createHash } from 'node:crypto';
import type { ApprovalScope, MaskedPart } from '../contract/approval.ts';
import type { Caller } from '../contract/call.ts';
import type { OperationType } from '../contract/operation.ts';
import type { OperationView } from '../contract/tool.ts';
import { canonicalJson } from '../json/index.ts';

/** Everything that an approval is bound to. A change of any part makes another call, which needs another approval. */
export interface BoundCall {
  caller: Caller;
  server: string;
  /** How the server is started or reached: another program under the same name is another server. */
  serverIdentity: string;
  tool: string;
  definitionHash: string;
  /** The arguments to be sent. The order of keys in an object does not matter. */
  args: Record<string, unknown>;
  /** The continuation to be sent to a server that asked for input. */
  brought?: { inputResponses?: unknown; requestState?: unknown };
  policyVersion: string;
}

/** A call that a person has to decide on: what the approval is bound to, and what else the person is shown. */
export interface ApprovalRequest extends BoundCall {
  scope: ApprovalScope;
  operation: OperationType;
  /** Why an approval is needed. */
  rule: string;
  ttlMs: number;
  /** The operation that the caller chose, where it chose one. */
  chosen?: OperationType | undefined;
  verdict?: OperationView | undefined;
  hints?: Record<string, unknown> | undefined;
  /** The reason that the caller gives. */
  reason?: string | undefined;
  description?: string | undefined;
  recordId?: string | undefined;
}

/** The positions of masked parts in a value; `root` is the JSON pointer of the value itself. */
export type FindMasked = (value: unknown, root: string) => MaskedPart[];

/** Masks secrets and truncates long values. */
export type Mask = (value: unknown, maxBytes: number) => { text: string; truncated: boolean } | null;

export function callDigest(call: BoundCall): string {
  const { server, serverIdentity, tool, definitionHash, args, brought, policyVersion } = call;
  const caller = callerKey(call.caller);
  const bound = { v: 1, caller, server, serverIdentity, tool, definitionHash, args, brought, policyVersion };
  return createHash('sha256').update(canonicalJson(bound)).digest('hex');
}

/** The session is left out: a client that reconnects is the same caller. */
function callerKey(caller: Caller): unknown {
  const { principal, userId, source, client, conversationId } = caller;
  return { principal, token: caller.token?.id, userId, source, client, conversationId };
}
