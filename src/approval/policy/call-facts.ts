import { operationOf, type OperationType, type ToolVariant } from '../../contract/operation.ts';
import type { OperationView } from '../../contract/tool.ts';
import type { CallFacts } from './policy.ts';

/** A tool, as far as a policy is concerned. */
interface JudgedTool {
  server: string;
  tool: string;
  operation: OperationView;
}

/** What a policy sees of a call, from the tool as it is held and the variant that was chosen. */
export function callFacts(
  { server, tool, operation }: JudgedTool,
  variant: ToolVariant,
  principal: string,
): CallFacts {
  return {
    operation: severest(operation, variant),
    server,
    tool,
    unannotated: !vouchedFor(operation),
    client: principal,
  };
}

/**
 * The most severe of what was chosen and what the tool is held to. Where nobody vouches for the tool, what it looks like counts too: a
 * question too many costs a moment, one too few may cost the data.
 */
export function severest(view: OperationView, variant: ToolVariant): OperationType {
  const held = vouchedFor(view) ? view.verdict : worse(view.verdict, view.inferred);
  return worse(held, operationOf(variant));
}

/** Which of them it was, in words. */
export function severestReason(view: OperationView, variant: ToolVariant): string {
  const operation = severest(view, variant);
  if (operation === view.verdict) return `the tool is held to ${view.verdict} (${view.source})`;
  if (operation === view.inferred && !vouchedFor(view))
    return `the tool has no hints and looks ${view.inferred === 'read' ? 'read-only' : view.inferred}`;
  return `it was called by ${variant}`;
}

// Plain comparisons: with a policy in force this runs on every call.
function worse(a: OperationType, b: OperationType): OperationType {
  if (a === 'destructive' || b === 'read') return a;
  if (b === 'destructive' || a === 'read') return b;
  return a;
}

function vouchedFor({ source }: OperationView): boolean {
  return source === 'operator' || source === 'annotation';
}
