import type { OpenRecord, RecordDraft } from '../../../log/index.ts';
import { isOutOfScope, type CallTool } from '../../../road/index.ts';
import type { CallResult, Caller } from '../../../contract/call.ts';
import { errorForAgent } from '../../../contract/error-for-agent.ts';
import { ProxyError, toProxyError } from '../../../contract/errors.ts';
import { ToolVariant } from '../../../contract/operation.ts';
import { ofRequest, type Log } from '../../../lib/log.ts';
import { describeTools, retrieveTools, type DiscoveryParts } from './discover-tools.ts';
import type { InRounds } from '../held/held-rounds.ts';
import { CODE, RpcError } from '../wire.ts';
import type { ToolRequest, HandleTool } from './tool-request.ts';

export interface ToolHandlerParts extends DiscoveryParts {
  callTool: CallTool;
  activity: { open(draft: RecordDraft): OpenRecord };
  /** Absent: no call ever waits for a person. */
  inRounds?: InRounds;
  log: Log;
}

/**
 * One of the proxy's own tools was called. Refusals become results that the model can read; they never break the session. Only what
 * a server says to the client program is thrown, as RpcError.
 */
export function createToolHandler(parts: ToolHandlerParts): HandleTool {
  return async function handleTool(request) {
    try {
      return await run(parts, request);
    } catch (cause) {
      const error = toProxyError(cause);
      if (error.code === 'INTERNAL')
        parts.log.error({ err: error.cause, ...ofRequest(request.caller) }, 'tool call failed inside');
      const forClient = clientError(error, request.continuation);
      if (forClient) throw forClient;
      return errorResult(error);
    }
  };
}

function run(parts: ToolHandlerParts, request: ToolRequest): Promise<CallResult> {
  const { name, arguments: input, caller } = request;
  const variant = variantOf(name);
  if (variant) {
    const { signal, onProgress, continuation, hold } = request;
    if (!continuation || !parts.inRounds)
      return parts.callTool({ variant, input, caller, signal, onProgress, continuation, hold });
    // In 2026-07-28 a client that closes its request has cancelled it.
    const withdrawn = () => request.left === true;
    return parts.inRounds(continuation, caller, (own, waitMs) =>
      parts.callTool({
        variant,
        input,
        caller,
        signal,
        onProgress,
        continuation: own,
        hold: { withdrawn, waitMs },
      }),
    );
  }
  return recorded(parts, { name, input, caller }, () => {
    switch (name) {
      case 'retrieve_tools':
        return retrieveTools(parts, input, caller);
      case 'describe_tool':
        return describeTools(parts, input, caller);
      default:
        throw unknownTool(name, parts, caller);
    }
  });
}

function variantOf(name: string): ToolVariant | undefined {
  return ToolVariant.options.find((variant) => variant === name);
}

/** A server that asks back talks with the client program: about what it can do, or about what it brought to this round. */
function clientError(
  { code, message, details }: ProxyError,
  continuation: ToolRequest['continuation'],
): RpcError | undefined {
  if (code === 'INVALID_STATE') return new RpcError(CODE.invalidParams, message, { data: details });
  const { rpc_code: rpcCode, rpc_message: said, data } = details;
  if (code !== 'UPSTREAM_FAILED' || typeof rpcCode !== 'number' || !continuation) return undefined;
  const lacksCapability = rpcCode === CODE.missingCapability;
  const isRound = continuation.inputResponses !== undefined || continuation.requestState !== undefined;
  if (!lacksCapability && !isRound) return undefined;
  const text = typeof said === 'string' ? said : message;
  return new RpcError(rpcCode, text, { data, status: lacksCapability ? 400 : 200 });
}

/** Searches are part of the story of what an agent did, and so are calls of tools that do not exist. */
async function recorded(
  { activity }: ToolHandlerParts,
  { name, input, caller }: { name: string; input: unknown; caller: Caller },
  answer: () => { tools: Array<{ name: string }> },
): Promise<CallResult> {
  const record = activity.open({
    type: 'discovery',
    source: caller.source,
    tool_name: name.slice(0, 512),
    arguments: input ?? {},
    request_id: caller.requestId,
    ...(caller.sessionId && { session_id: caller.sessionId }),
    ...(caller.client && { client: caller.client }),
    metadata: {
      principal: caller.principal,
      ...(caller.token && { token_id: caller.token.id }),
      ...(caller.trace && { trace_id: caller.trace.traceId }),
    },
  });
  caller.trace?.set?.({ 'mcpproxy.record.id': record.id });
  try {
    const value = answer();
    await record.close({ status: 'success', response: { tools: value.tools.map((tool) => tool.name) } });
    return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value };
  } catch (cause) {
    const error = toProxyError(cause);
    caller.trace?.fail?.(error.code);
    // A no stays a no also where it cannot be written down.
    await record
      .close({ status: error.outcome, error_code: error.code, error_message: error.message })
      .catch(() => {});
    throw error;
  }
}

export function errorResult(cause: ProxyError): CallResult {
  const error = errorForAgent(cause);
  return {
    content: [{ type: 'text', text: error.message }],
    structuredContent: error.toBody(),
    isError: true,
  };
}

function unknownTool(name: string, { catalog }: ToolHandlerParts, { token }: Caller): ProxyError {
  const shown = name.slice(0, 200);
  if (name === 'call_tool') {
    return new ProxyError(
      'TOOL_NOT_FOUND',
      "Tool 'call_tool' not found. Use call_tool_read, call_tool_write, or call_tool_destructive with matching intent.operation_type. retrieve_tools says which one fits each tool.",
      { use: ToolVariant.options },
    );
  }
  const upstream = catalog.get(name);
  if (upstream?.offered && !isOutOfScope(token, name, upstream)) {
    return new ProxyError(
      'TOOL_NOT_FOUND',
      `'${shown}' is a tool of an upstream server: call it with ${upstream.callWith}, name "${shown}"`,
      {
        call_with: upstream.callWith,
      },
    );
  }
  return new ProxyError('TOOL_NOT_FOUND', `Tool '${shown}' not found. Use retrieve_tools to find tools.`, {
    tool: shown,
  });
}
