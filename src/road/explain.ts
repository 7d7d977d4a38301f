import {
  effectiveOperation,
  effectiveOperationReason,
  type Approvals,
  type Ruling,
} from '../approval/index.ts';
import type { ExplainRequest, Explanation } from '../contract/approval.ts';
import type { Caller } from '../contract/call.ts';
import type { Config } from '../contract/config.ts';
import { toProxyError, type ProxyError } from '../contract/errors.ts';
import { operationOf, type ToolVariant } from '../contract/operation.ts';
import { runChecks } from './checks.ts';
import { CallContext } from './context.ts';
import type { CheckParts } from './parts.ts';
import { parseCall } from './steps/parse.ts';
import { judgeCall, questionOf, refuseByPolicy } from './question.ts';

interface ExplainParts extends CheckParts {
  config: () => Pick<Config, 'intent_declaration' | 'validate_arguments' | 'mcpServers'>;
  approvals: Pick<Approvals, 'policy' | 'ttlMs' | 'grantFor'>;
}

export type Explain = (request: ExplainRequest) => Promise<Explanation>;

/** What the road would do with a call: the same checks and the same policy, and nothing is done. */
export function createExplain(parts: ExplainParts): Explain {
  const { config, catalog, approvals } = parts;
  return async function explain({ tool: name, args, tool_variant, client = 'operator', program }) {
    const tool = catalog.get(name);
    const variant = tool_variant ?? tool?.callWith ?? 'call_tool_write';
    const caller = callerNamed(client, program);
    const policy = approvals.policy();
    const ruling = tool ? judgeCall(policy, tool, variant, client) : NO_TOOL;
    const known = {
      tool: name,
      tool_variant: variant,
      client,
      policy: { ...ruling, version: policy.version },
      operation: tool ? effectiveOperation(tool.operation, variant) : null,
      operation_reason: tool ? effectiveOperationReason(tool.operation, variant) : null,
    };
    const checked = tryChecks(parts, { name, args, variant, caller });
    if ('error' in checked) return { ...known, ...refusal(checked.error) };
    if (ruling.action === 'refuse') return { ...known, ...refusal(refuseByPolicy(ruling, name)) };
    if (ruling.action === 'allow') return { ...known, outcome: 'allow', why: ruling.reason };
    const question = questionOf(
      config(),
      approvals,
      { tool: checked.tool, args: checked.args, variant, caller },
      ruling.reason,
    );
    const grant = await approvals.grantFor(question);
    if (grant) return { ...known, outcome: 'allow', why: `grant ${grant.id} lets it pass`, grant };
    const expires_after_s = question.ttlMs / 1000;
    return { ...known, outcome: 'ask', why: `a person is asked: ${ruling.reason}`, expires_after_s };
  };
}

const NO_TOOL: Ruling = { action: 'allow', rule: null, reason: 'there is no such tool' };

function callerNamed(principal: string, client: string | undefined): Caller {
  return { source: 'mcp', principal, userId: 'local', requestId: '', ...(client && { client }) };
}

interface Wanted {
  name: string;
  args: ExplainRequest['args'];
  variant: ToolVariant;
  caller: Caller;
}

function tryChecks(
  parts: CheckParts,
  { name, args, variant, caller }: Wanted,
): Pick<CallContext, 'tool' | 'args'> | { error: ProxyError } {
  try {
    const input = { name, args: args ?? {}, intent: { operation_type: operationOf(variant) } };
    const call = new CallContext({ variant, input, caller, signal: NEVER });
    call.parsed = parseCall(input);
    runChecks(call, parts);
    return call;
  } catch (cause) {
    return { error: toProxyError(cause) };
  }
}

const NEVER = new AbortController().signal;

function refusal({ code, message }: ProxyError): Pick<Explanation, 'outcome' | 'code' | 'why'> {
  return { outcome: 'refuse', code, why: message };
}
