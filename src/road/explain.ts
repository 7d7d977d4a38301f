import { callFacts, effectiveOperation, effectiveOperationReason, type Ruling } from '../approval/index.ts';
import type { ExplainRequest, Explanation } from '../contract/approval.ts';
import type { Caller } from '../contract/call.ts';
import { toProxyError } from '../contract/errors.ts';
import { hasSecret } from '../log/index.ts';
import type { TokenLookup } from '../token/index.ts';
import { operationOf } from '../contract/operation.ts';
import { CallContext } from './context.ts';
import { ROAD } from './road.ts';
import type { Outcome, PreviewParts } from './step.ts';

export type Explain = (request: ExplainRequest) => Promise<Explanation>;

export interface ExplainParts extends PreviewParts {
  /** Finds an agent token by its name. Absent: tokens have no scope. */
  tokenNamed?: (name: string) => TokenLookup | undefined;
}

/** What the road would do with a call: it walks the same list of steps, and has no effect. */
export function createExplain(parts: ExplainParts): Explain {
  const { catalog, approvals } = parts;
  return async function explain({ tool: name, args, tool_variant, client = 'operator', program }) {
    const tool = catalog.get(name);
    const variant = tool_variant ?? tool?.callWith ?? 'call_tool_write';
    const operation = operationOf(variant);
    const policy = approvals.policy();
    const ruling = tool
      ? policy.judge({ ...callFacts(tool, operation, client), hasSecret: () => hasSecret(args) })
      : NO_TOOL;
    const input = { name, args: args ?? {}, intent: { operation_type: operation } };
    const caller = callerNamed(client, { program, tokenNamed: parts.tokenNamed });
    return {
      tool: name,
      tool_variant: variant,
      client,
      policy: { ...ruling, version: policy.version },
      operation: tool ? effectiveOperation(tool.operation, operation) : null,
      operation_reason: tool ? effectiveOperationReason(tool.operation, operation) : null,
      arguments_checked: args !== undefined,
      ...('outcome' in caller
        ? caller
        : await previewSteps(
            new CallContext({ operation, input, caller, signal: NEVER }),
            args === undefined ? withoutArguments(parts) : parts,
          )),
    };
  };
}

const withoutArguments = (parts: PreviewParts): PreviewParts => ({
  ...parts,
  config: () => ({ ...parts.config(), validate_arguments: false }),
});

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

const TOKEN = 'token:';

/** The caller with the scope that its token has now; or how the door refuses a token that is not valid. */
function callerNamed(
  principal: string,
  { program, tokenNamed }: { program: string | undefined } & Pick<ExplainParts, 'tokenNamed'>,
): Caller | Outcome {
  const caller: Caller = {
    source: 'mcp',
    principal,
    userId: 'local',
    requestId: '',
    ...(program && { client: program }),
  };
  if (!principal.startsWith(TOKEN) || !tokenNamed) return caller;
  const name = principal.slice(TOKEN.length);
  const found = tokenNamed(name);
  if (found?.state === 'active')
    return found.identity.token?.scope.metrics ? onlyForMetrics(name) : { ...caller, ...found.identity };
  const why = found && 'at' in found ? `${found.state} at ${found.at}` : 'not found';
  return { outcome: 'refuse', code: 'UNAUTHORIZED', why: `token '${name}' ${why}` };
}

function onlyForMetrics(name: string): Outcome {
  return { outcome: 'refuse', code: 'TOKEN_NOT_ALLOWED', why: `token '${name}' is for metrics only` };
}
