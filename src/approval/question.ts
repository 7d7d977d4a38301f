import type { ApprovalScope } from '../contract/approval.ts';
import type { OperationType, ToolVariant } from '../contract/operation.ts';
import type { OperationView } from '../contract/tool.ts';
import type { BoundCall } from './digest.ts';

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

/** Masks secrets and cuts what is too long. */
export type Mask = (value: unknown, maxBytes: number) => { text: string; truncated: boolean } | null;
