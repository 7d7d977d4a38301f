import type { UnannotatedMode } from '../../contract/config.ts';
import { variantFor, type OperationType, type ToolVariant } from '../../contract/operation.ts';
import type { OperationView, VerdictSource } from '../../contract/tool.ts';

export type Hints = Record<string, unknown> | undefined;

/** What calls are checked against. `null`: nothing is known, and the agent's choice is trusted. */
export interface Constraint {
  operation: OperationType | null;
  source: VerdictSource;
}

export interface VerdictFacts {
  /** The present hints, and the strictest since the operator last accepted them. */
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

/** The only place that turns hints, inference and the operator's verdict into the operation of a tool. */
export function decideVerdict({ hints, heldHints, inferred, operator, mode }: VerdictFacts): Verdict {
  if (operator) {
    const [set, declared] = [
      { operation: operator.operation, source: 'operator' as const },
      hinted(heldHints ?? hints),
    ];
    const made = verdict(set, inferred.operation, operator.reason);
    // Stays on record with each call: the audit of destructive calls needs it.
    if (declared.operation !== null && severity(declared) > severity(set))
      made.view.hint = declared.operation;
    return made;
  }
  const now = constraintOf(hints, inferred.operation, mode);
  const held = heldHints === undefined ? now : constraintOf(heldHints, inferred.operation, mode);
  if (severity(held) > severity(now)) {
    return verdict(
      held,
      inferred.operation,
      'the server has weakened its hints; the stricter ones apply until the operator accepts',
    );
  }
  return verdict(now, inferred.operation, now.source === 'annotation' ? undefined : inferred.reason);
}

/** Whether the next hints would allow more calls than the previous ones. */
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

/** The operation that the hints declare; `null` if they declare none. */
export function declaredOperation(hints: Hints): OperationType | null {
  return hinted(hints).operation;
}

/**
 * Destructive wins over read-only. A malformed hint may only raise: `destructiveHint: "true"` counts, `readOnlyHint: "true"` does not.
 * `destructiveHint: false` alone says nothing about reading, so the tool stays unannotated.
 */
function hinted(hints: Hints): Constraint {
  const destructive = hints?.destructiveHint;
  if (destructive !== undefined && destructive !== null && destructive !== false)
    return { operation: 'destructive', source: 'annotation' };
  if (hints?.readOnlyHint === true) return { operation: 'read', source: 'annotation' };
  if (hints?.readOnlyHint === false) return { operation: 'write', source: 'annotation' };
  return { operation: null, source: 'default' };
}

/** The higher, the fewer calls pass. */
export function severity({ operation }: Constraint): number {
  if (operation === null) return 1;
  return { read: 0, write: 2, destructive: 3 }[operation];
}
