import { callFacts, effectiveOperation, effectiveOperationReason, type Ruling } from '../approval/index.ts';
import type { ExplainRequest, Explanation } from '../contract/approval.ts';
import type { Caller } from '../contract/call.ts';
import { toProxyError } from '../contract/errors.ts';
import { operationOf } from '../contract/operation.ts';
import { CallContext } from './context.ts';
import { ROAD } from './road.ts';
import type { Outcome, PreviewParts } from './step.ts';

export type Explain = (request: ExplainRequest) => Promise<Explanation>;

/** What the road would do with a call: it walks the same list of steps, and has no effect. */
export function createExplain(parts: PreviewParts): Explain {
  const { catalog, approvals } = parts;
  return async function explain({ tool: name, args = {}, tool_variant, client = 'operator', program }) {
    const tool = catalog.get(name);
    const variant = tool_variant ?? tool?.callWith ?? 'call_tool_write';
    const operation = operationOf(variant);
    const policy = approvals.policy();
    const ruling = tool ? policy.judge(callFacts(tool, operation, client)) : NO_TOOL;
    const input = { name, args, intent: { operation_type: operation } };
    const caller = callerNamed(client, program);
    return {
      tool: name,
      tool_variant: variant,
      client,
      policy: { ...ruling, version: policy.version },
      operation: tool ? effectiveOperation(tool.operation, operation) : null,
      operation_reason: tool ? effectiveOperationReason(tool.operation, operation) : null,
      ...(await previewSteps(new CallContext({ operation, input, caller, signal: NEVER }), parts)),
    };
  };
}

async function previewSteps(call: CallContext, parts: PreviewParts): Promise<Outcome> {
  try {
    for (const step of ROAD) {
      const outcome = await step.preview?.(call, parts);
      if (outcome) return outcome;
    }
    return { outcome: 'allow', why: 'no step refuses it' };
  } catch (cause) {
    const { code, message } = toProxyError(cause);
    return { outcome: 'refuse', code, why: message };
  }
}

const NO_TOOL: Ruling = { action: 'allow', rule: null, reason: 'there is no such tool' };
const NEVER = new AbortController().signal;

function callerNamed(principal: string, client: string | undefined): Caller {
  return { source: 'mcp', principal, userId: 'local', requestId: '', ...(client && { client }) };
}
