import { operationOf } from '../../contract/operation.ts';
import { callFacts, type Policy } from '../../approval/index.ts';
import type { CatalogTool } from '../../catalog/index.ts';
import type { ApprovalEffect, ToolDiff, VerdictStep } from '../../contract/tool.ts';

interface ApprovalContext {
  tool: CatalogTool;
  policy: Policy;
  /** The principals whose calls are judged. */
  clients: readonly string[];
}

/** Adds to the consequence of a diff where accepting the tool ends that its calls need approval. */
export function withApprovalEnd(diff: ToolDiff, context: ApprovalContext): ToolDiff {
  if (!endsApproval(diff.approval, context)) return diff;
  const consequence = `${diff.approval.consequence} Its calls needed approval before, and need none any more.`;
  return { ...diff, approval: { ...diff.approval, consequence } };
}

function endsApproval(
  { before, after }: ApprovalEffect,
  { tool, policy, clients }: ApprovalContext,
): boolean {
  if (!before) return false;
  const action = (step: VerdictStep, client: string) => policy.judge(mildestCall(tool, step, client)).action;
  return clients.some((client) => action(before, client) === 'ask' && action(after, client) === 'allow');
}

/** The facts of a call by the least restricted variant that the tool may be called with. */
function mildestCall({ server, tool, operation }: CatalogTool, step: VerdictStep, client: string) {
  const view = { ...operation, verdict: step.operation ?? 'write', source: step.source };
  return callFacts(
    { server, tool, operation: view },
    operationOf(step.variants[0] ?? 'call_tool_destructive'),
    client,
  );
}
