import type { UnannotatedMode } from '../../contract/config.ts';
import { variantFor, type OperationType, type ToolVariant } from '../../contract/operation.ts';
import type { OperationView, VerdictSource } from '../../contract/tool.ts';

export type Hints = Record<string, unknown> | undefined;

/** What calls are checked against. `null`: nothing is known and the agent is trusted. */
export interface Constraint {
  operation: OperationType | null;
  source: VerdictSource;
}

export interface VerdictFacts {
  /** What the server says now, and the strictest it has said since the operator last accepted its hints. */
  hints: Hints;
  heldHints?: Hints;
  inferred: { operation: OperationType; reason: string };
  operator?: { operation: OperationType; reason: string };
  mode: UnannotatedMode;
}

export interface Verdict {
  view: OperationView;
  constraint: Constraint;
  callWith: ToolVariant;
}

/** The one place where hint, inference and the operator's word become the operation that a tool is held to. */
export function decideVerdict({ hints, heldHints, inferred, operator, mode }: VerdictFacts): Verdict {
  if (operator)
    return verdict(
      { operation: operator.operation, source: 'operator' },
      inferred.operation,
      operator.reason,
    );
  const now = constraintOf(hints, inferred.operation, mode);
  const held = heldHints === undefined ? now : constraintOf(heldHints, inferred.operation, mode);
  if (severity(held) > severity(now)) {
    return verdict(
      held,
      inferred.operation,
      'the server has weakened its hints; the stricter ones hold until the operator accepts',
    );
  }
  return verdict(now, inferred.operation, now.source === 'annotation' ? undefined : inferred.reason);
}

/** True where going from one set of hints to the other would let more calls pass. */
export function isWeaker(next: Hints, previous: Hints): boolean {
  return severity(hinted(next)) < severity(hinted(previous));
}

function verdict(constraint: Constraint, inferred: OperationType, reason: string | undefined): Verdict {
  const operation = constraint.operation ?? 'write';
  return {
    view: { verdict: operation, source: constraint.source, inferred, ...(reason && { reason }) },
    constraint,
    callWith: variantFor(operation),
  };
}

function constraintOf(hints: Hints, inferred: OperationType, mode: UnannotatedMode): Constraint {
  const declared = hinted(hints);
  if (declared.operation !== null) return declared;
  const held: Record<UnannotatedMode, Constraint> = {
    trust: declared,
    infer: { operation: inferred, source: 'inferred' },
    strict: { operation: 'destructive', source: 'default' },
  };
  return held[mode];
}

/** What the hints alone say, `null` where they say nothing. */
export function declaredOperation(hints: Hints): OperationType | null {
  return hinted(hints).operation;
}

/**
 * Destructive wins over read-only. A malformed hint may only raise: `destructiveHint: "true"` counts, `readOnlyHint: "true"` does not.
 * `destructiveHint: false` alone says nothing about reading, so it leaves the tool un-annotated.
 */
function hinted(hints: Hints): Constraint {
  const destructive = hints?.destructiveHint;
  if (destructive !== undefined && destructive !== null && destructive !== false)
    return { operation: 'destructive', source: 'annotation' };
  if (hints?.readOnlyHint === true) return { operation: 'read', source: 'annotation' };
  if (hints?.readOnlyHint === false) return { operation: 'write', source: 'annotation' };
  return { operation: null, source: 'default' };
}

/** How much a constraint holds back: the higher, the fewer calls pass. */
export function severity({ operation }: Constraint): number {
  if (operation === null) return 1;
  return { read: 0, write: 2, destructive: 3 }[operation];
}
