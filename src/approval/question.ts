import type { ApprovalScope, MaskedPart } from '../contract/approval.ts';
import type { OperationType, ToolVariant } from '../contract/operation.ts';
import type { OperationView } from '../contract/tool.ts';
import type { BoundCall } from './policy/digest.ts';

/** A call that a person is to decide on: what it is bound to, and what else the person is shown. */
export interface Question extends BoundCall {
  scope: ApprovalScope;
  operation: OperationType;
  /** Why a person is asked. */
  rule: string;
  ttlMs: number;
  variant?: ToolVariant | undefined;
  verdict?: OperationView | undefined;
  hints?: Record<string, unknown> | undefined;
  /** Why, as the caller states it. */
  reason?: string | undefined;
  description?: string | undefined;
  recordId?: string | undefined;
}

/** Where the masks of a value stand; `root` is the pointer of the value itself. */
export type FindMasked = (value: unknown, root: string) => MaskedPart[];

/** Masks secrets and cuts what is too long. */
export type Mask = (value: unknown, maxBytes: number) => { text: string; truncated: boolean } | null;
