import {
  callFacts,
  effectiveOperation,
  type ConversationDraft,
  type Policy,
  type Question,
  type Ruling,
} from '../approval/index.ts';
import { definitionHash, serverIdentity, type CatalogTool } from '../catalog/index.ts';
import type { Caller } from '../contract/call.ts';
import type { Config } from '../contract/config.ts';
import { ProxyError } from '../contract/errors.ts';
import type { OperationType, ToolVariant } from '../contract/operation.ts';
import type { Continuation } from '../upstream/dispatch/dispatch-call.ts';
import { fillUser } from './steps/fill-user.ts';
import type { JsonObject } from '../json/index.ts';

/** The rules, and how long a question about an operation stays open. */
export interface PolicyPart {
  policy(): Policy;
  ttlMs(operation: OperationType): number;
}

/** What the policy says of a call. */
export function judgeCall(
  policy: Policy,
  tool: CatalogTool,
  variant: ToolVariant,
  principal: string,
): Ruling {
  return policy.judge(callFacts(tool, variant, principal));
}

export function refuseByPolicy({ reason }: Ruling, tool: string): ProxyError {
  return new ProxyError(
    'POLICY_REFUSED',
    `The operator's policy refuses this call of '${tool}' (${reason})`,
    {
      tool,
      rule: reason,
    },
  );
}

export interface Asked {
  tool: CatalogTool;
  variant: ToolVariant;
  caller: Caller;
  args: JsonObject;
  continuation?: Continuation | undefined;
  reason?: string | undefined;
  recordId?: string | undefined;
}

/** The call as a person is asked about it, bound to everything that makes it this call. */
export function questionOf(
  config: Pick<Config, 'mcpServers'>,
  approvals: PolicyPart,
  { tool, variant, caller, args, continuation, reason, recordId }: Asked,
  rule: string,
): Question {
  const operation = effectiveOperation(tool.operation, variant);
  const brought = broughtBy(continuation);
  return {
    scope: 'call',
    caller,
    server: tool.server,
    serverIdentity: serverIdentity(config, tool.server),
    tool: tool.tool,
    definitionHash: definitionHash(tool.definition),
    args,
    ...(brought && { brought }),
    policyVersion: approvals.policy().version,
    operation,
    rule,
    ttlMs: approvals.ttlMs(operation),
    variant,
    verdict: tool.operation,
    hints: tool.definition.annotations,
    reason,
    recordId,
  };
}

/** The call of a conversation, as the road will see it. */
export function conversationQuestion(
  {
    config,
    catalog,
    approvals,
  }: { config: Pick<Config, 'mcpServers'>; catalog: Catalogue; approvals: PolicyPart },
  { caller, server, tool: name, args }: Pick<ConversationDraft, 'caller' | 'server' | 'tool' | 'args'>,
): Question {
  const tool = catalog.get(`${server}:${name}`);
  if (!tool)
    throw new ProxyError('TOOL_NOT_FOUND', `Tool '${server}:${name}' not found`, {
      tool: `${server}:${name}`,
    });
  const filled = fillUser(tool, args, caller.userId).args;
  const asked = { tool, variant: tool.callWith, caller, args: filled };
  return questionOf(config, approvals, asked, 'the person in the conversation is asked');
}

interface Catalogue {
  get(name: string): CatalogTool | undefined;
}

function broughtBy({ inputResponses, requestState }: Continuation = {}): Question['brought'] {
  if (inputResponses === undefined && requestState === undefined) return undefined;
  return { inputResponses, requestState };
}
