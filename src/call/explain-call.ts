import type { Approvals } from '../approval/approvals.ts';
import { severest } from '../approval/call-facts.ts';
import type { ExplainRequest, Explanation } from '../contract/approval.ts';
import type { ActivityMetadata } from '../contract/activity.ts';
import type { Caller } from '../contract/caller.ts';
import type { Config } from '../contract/config.ts';
import { toProxyError, type ProxyError } from '../contract/errors.ts';
import { operationOf, type ToolVariant } from '../contract/operation.ts';
import { checkCall, type Allowed, type Checks } from './check-call.ts';
import { parseCall } from './parse-call.ts';
import { judgeCall, questionOf, refuseByPolicy } from './question.ts';

interface ExplainParts extends Checks {
  config: () => Pick<Config, 'intent_declaration' | 'validate_arguments' | 'mcpServers'>;
  approvals: Pick<Approvals, 'policy' | 'ttlMs' | 'grantFor'>;
}

export type Explain = (request: ExplainRequest) => Promise<Explanation>;

/** What the road would do with a call: the same checks and the same policy, and nothing is done. */
export function createExplain(parts: ExplainParts): Explain {
  const { config, catalog, approvals } = parts;
  return async function explain({ tool: name, args, tool_variant, client = 'operator', program }) {
    const variant = tool_variant ?? catalog.get(name)?.callWith ?? 'call_tool_write';
    const caller: Caller = {
      source: 'mcp',
      principal: client,
      userId: 'local',
      requestId: '',
      ...(program && { client: program }),
    };
    const said = { tool: name, tool_variant: variant, client };
    const checked = tryChecks(parts, { name, args, variant, caller });
    const tool = catalog.get(name);
    const policy = policyPart(parts, tool && { tool, variant, caller });
    const severe = tool && severest(tool.operation, variant);
    const operation = { operation: severe?.operation ?? null, operation_reason: severe?.reason ?? null };
    if ('error' in checked)
      return { ...said, outcome: 'refuse', ...refusal(checked.error), policy, ...operation };
    const ruling = judgeCall(approvals.policy(), { tool: checked.tool, variant, caller });
    if (ruling.action === 'refuse')
      return { ...said, outcome: 'refuse', ...refusal(refuseByPolicy(ruling, name)), policy, ...operation };
    if (ruling.action === 'allow')
      return { ...said, outcome: 'allow', why: ruling.reason, policy, ...operation };
    const question = questionOf(config(), approvals, { ...checked, variant, caller }, ruling.reason);
    const grant = await approvals.grantFor(question);
    if (grant)
      return {
        ...said,
        outcome: 'allow',
        why: `grant ${grant.id} lets it pass`,
        policy,
        ...operation,
        grant,
      };
    const expires = { expires_after_s: question.ttlMs / 1000 };
    return {
      ...said,
      outcome: 'ask',
      why: `a person is asked: ${ruling.reason}`,
      policy,
      ...operation,
      ...expires,
    };
  };
}

function tryChecks(
  parts: Checks,
  {
    name,
    args,
    variant,
    caller,
  }: { name: string; args: ExplainRequest['args']; variant: ToolVariant; caller: Caller },
): Allowed | { error: ProxyError } {
  const notes: ActivityMetadata = {};
  try {
    const input = { name, args: args ?? {}, intent: { operation_type: operationOf(variant) } };
    return checkCall(parts, parseCall(variant, input), caller, notes);
  } catch (cause) {
    return { error: toProxyError(cause) };
  }
}

function policyPart(
  { approvals }: ExplainParts,
  judged: Parameters<typeof judgeCall>[1] | undefined,
): Explanation['policy'] {
  const policy = approvals.policy();
  const ruling = judged
    ? judgeCall(policy, judged)
    : { action: 'allow' as const, rule: null, reason: 'there is no such tool' };
  return { ...ruling, version: policy.version };
}

function refusal({ code, message }: ProxyError): Pick<Explanation, 'code' | 'why'> {
  return { code, why: message };
}
