import { OperationType, operationOf, type ToolVariant } from '../contract/operation.ts';
import type { OperationView } from '../contract/tool.ts';
import type { CallFacts } from './policy.ts';

export interface FactsOf {
  server: string;
  tool: string;
  operation: OperationView;
  variant: ToolVariant;
  principal: string;
}

/** What a policy sees of a call, from the tool as it is held and the variant that was chosen. */
export function callFacts({ server, tool, operation, variant, principal }: FactsOf): CallFacts {
  return {
    operation: severest(operation, variant).operation,
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
export function severest(
  view: OperationView,
  variant: ToolVariant,
): { operation: OperationType; reason: string } {
  const found: Array<{ operation: OperationType; reason: string }> = [
    { operation: view.verdict, reason: `the tool is held to ${view.verdict} (${view.source})` },
  ];
  if (!vouchedFor(view))
    found.push({
      operation: view.inferred,
      reason: `the tool has no hints and looks ${view.inferred === 'read' ? 'read-only' : view.inferred}`,
    });
  found.push({ operation: operationOf(variant), reason: `it was called by ${variant}` });
  return found.reduce((worst, next) => (rank(next.operation) > rank(worst.operation) ? next : worst));
}

function vouchedFor({ source }: OperationView): boolean {
  return source === 'operator' || source === 'annotation';
}

function rank(operation: OperationType): number {
  return OperationType.options.indexOf(operation);
}
