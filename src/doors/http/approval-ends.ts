import { callFacts, type Policy } from '../../approval/index.ts';
import type { CatalogTool } from '../../catalog/index.ts';
import type { ApprovalEffect, ToolDiff, VerdictStep } from '../../contract/tool.ts';

/** The diff, whose consequence also says where accepting the tool ends that a person is asked. `clients`: the credentials to judge by. */
export function withApprovalEnd(
  diff: ToolDiff,
  tool: CatalogTool,
  policy: Policy,
  clients: readonly string[],
): ToolDiff {
  if (!endsApproval(diff.approval, tool, policy, clients)) return diff;
  const consequence = `${diff.approval.consequence} Its calls waited for a person before, and no approval is asked for it any more.`;
  return { ...diff, approval: { ...diff.approval, consequence } };
}

function endsApproval(
  { before, after }: ApprovalEffect,
  tool: CatalogTool,
  policy: Policy,
  clients: readonly string[],
): boolean {
  if (!before) return false;
  const action = (step: VerdictStep, client: string) => policy.judge(mildestCall(tool, step, client)).action;
  return clients.some((client) => action(before, client) === 'ask' && action(after, client) === 'allow');
}

/** What the policy sees of a call by the mildest variant that the tool may be called with. */
function mildestCall({ server, tool, operation }: CatalogTool, step: VerdictStep, client: string) {
  const view = { ...operation, verdict: step.operation ?? 'write', source: step.source };
  return callFacts({ server, tool, operation: view }, step.variants[0] ?? 'call_tool_destructive', client);
}
