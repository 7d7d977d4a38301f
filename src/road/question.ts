import {
  effectiveOperation,
  type ConversationDraft,
  type Policy,
  type ApprovalRequest,
} from '../approval/index.ts';
import { definitionHash, serverIdentity, type CatalogTool } from '../catalog/index.ts';
import type { Caller } from '../contract/call.ts';
import type { Config } from '../contract/config.ts';
import { ProxyError } from '../contract/errors.ts';
import { operationOf, type OperationType } from '../contract/operation.ts';
import type { Continuation } from '../upstream/dispatch/dispatch-call.ts';
import { fillUser } from './steps/arguments.ts';
import type { JsonObject } from '../json/index.ts';

/** The policy, and how long an approval request for an operation stays open. */
export interface PolicyPart {
  policy(): Policy;
  ttlMs(operation: OperationType): number;
}

/** What makes an approval request of a call. */
interface QuestionParts {
  config: () => Pick<Config, 'mcpServers'>;
  approvals: PolicyPart;
}

export interface Asked {
  tool: CatalogTool;
  /** The operation that the caller chose. */
  operation: OperationType;
  caller: Caller;
  args: JsonObject;
  /** Why a person is asked. */
  rule: string;
  continuation?: Continuation | undefined;
  reason?: string | undefined;
  recordId?: string | undefined;
}

/** The approval request for a call, bound to everything that identifies the call. */
export function questionOf(
  { config, approvals }: QuestionParts,
  { tool, operation: chosen, caller, args, rule, continuation, reason, recordId }: Asked,
): ApprovalRequest {
  const operation = effectiveOperation(tool.operation, chosen);
  const brought = broughtBy(continuation);
  return {
    scope: 'call',
    caller,
    server: tool.server,
    serverIdentity: serverIdentity(config(), tool.server),
    tool: tool.tool,
    definitionHash: definitionHash(tool.definition),
    args,
    ...(brought && { brought }),
    policyVersion: approvals.policy().version,
    operation,
    rule,
    ttlMs: approvals.ttlMs(operation),
    chosen,
    verdict: tool.operation,
    hints: tool.definition.annotations,
    reason,
    recordId,
  };
}

/** The approval request for a call of a conversation, with the arguments that the road will send. */
export function conversationQuestion(
  { catalog, ...parts }: QuestionParts & { catalog: ToolTable },
  { caller, server, tool: name, args }: Pick<ConversationDraft, 'caller' | 'server' | 'tool' | 'args'>,
): ApprovalRequest {
  const tool = catalog.get(`${server}:${name}`);
  if (!tool)
    throw new ProxyError('TOOL_NOT_FOUND', `Tool '${server}:${name}' not found`, {
      tool: `${server}:${name}`,
    });
  const filled = fillUser(tool, args, caller.userId).args;
  const rule = 'the person in the conversation is asked';
  return questionOf(parts, { tool, operation: operationOf(tool.callWith), caller, args: filled, rule });
}

interface ToolTable {
  get(name: string): CatalogTool | undefined;
}

function broughtBy({ inputResponses, requestState }: Continuation = {}): ApprovalRequest['brought'] {
  if (inputResponses === undefined && requestState === undefined) return undefined;
  return { inputResponses, requestState };
}
