import type { OpenRecord, RecordDraft } from '../../../log/index.ts';
import { audienceOf, isOutOfScope, type CallRequest, type CallTool } from '../../../road/index.ts';
import { callerMetadata, type CallResult, type Caller } from '../../../contract/call.ts';
import { ProxyError, toProxyError } from '../../../contract/errors.ts';
import { operationOf, ToolVariant, type OperationType } from '../../../contract/operation.ts';
import { editDistance } from '../../../lib/edit-distance.ts';
import { merge } from '../../../json/index.ts';
import { ofRequest, type Log } from '../../../lib/log.ts';
import type { HandleTool, RoadRequest, ToolRequest } from '../calls.ts';
import { directCall, directError, isDirect } from '../direct/direct-call.ts';
import { describeTools, retrieveItems, retrieveTools, type DiscoveryParts } from './discover-tools.ts';
import { errorResult } from '../error-result.ts';
import type { FoundItems } from '../items/find-items.ts';
import { itemError } from '../items/item-error.ts';
import type { RunInRounds } from '../approval/rounds.ts';
import { CODE, RpcError } from '../wire.ts';

export interface ToolHandlerParts extends DiscoveryParts {
  callTool: CallTool;
  activity: { open(draft: RecordDraft): OpenRecord };
  /** Absent: no tool can be called directly. */
  menu?: { resolve(name: string): string | undefined };
  /** Absent: no call ever waits for a person. */
  runInRounds?: RunInRounds;
  log: Log;
}

/**
 * Handles calls of the proxy's own tools. Refusals become results that the model can read; they never break the session. Only errors
 * of a server that are meant for the client program are thrown, as RpcError.
 */
export function createToolHandler(parts: ToolHandlerParts): HandleTool {
  return async function handleTool(request) {
    try {
      return await run(parts, request);
    } catch (cause) {
      const error = toProxyError(cause);
      if (error.code === 'INTERNAL')
        parts.log.error(
          { err: error.cause, ...ofRequest(request.caller) },
          'tool call failed with an internal error',
        );
      const forClient = isModernTask(request)
        ? itemError(error, { isModern: true, uri: undefined })
        : clientError(error, request.continuation);
      if (forClient) throw forClient;
      return isDirect(parts, request) ? directError(parts, request, error) : errorResult(error);
    }
  };
}

function run(parts: ToolHandlerParts, request: ToolRequest): Promise<CallResult> {
  const { name, arguments: input, caller } = request;
  const operation = operationCalled(name);
  const asked = operation ? { operation, input } : directCall(parts, request);
  if (asked) return runOnRoad(parts, request, asked);
  return withRecord(parts, { name, input, caller }, () => {
    switch (name) {
      case 'retrieve_tools':
        return retrieveItems(parts, input, caller) ?? retrieveTools(parts, input, caller);
      case 'describe_tool':
        return describeTools(parts, input, caller);
      default:
        throw unknownTool(name, parts, caller);
    }
  });
}

type Asked = Pick<CallRequest, 'kind' | 'operation' | 'input' | 'intentSource' | 'reason' | 'watcher'>;

const PROXY_TOOLS = ['retrieve_tools', 'describe_tool', ...ToolVariant.options];

/** Asks the road. A client of 2026-07-28 is asked for an approval in rounds of its request. */
export function runOnRoad(
  parts: Pick<ToolHandlerParts, 'callTool' | 'runInRounds'>,
  request: RoadRequest & Pick<ToolRequest, 'task'>,
  asked: Asked,
): Promise<CallResult> {
  const { caller, signal, onProgress, continuation, hooks, channel, task } = request;
  const capabilities = channel?.request ? undefined : channel?.capabilities;
  if (task) task.called = merge(asked, capabilities && { capabilities });
  if (!continuation || !parts.runInRounds)
    return parts.callTool({ caller, signal, onProgress, continuation, hooks, channel, task, ...asked });
  // In 2026-07-28 a client that closes its request has cancelled it.
  const isWithdrawn = () => request.left === true;
  return parts.runInRounds(continuation, caller, ({ own, requester, asksClient }) =>
    parts.callTool({
      caller,
      signal,
      onProgress,
      channel,
      continuation: own,
      hooks: { isWithdrawn, requester, waitMs: asksClient ? 0 : request.waitMs },
      task,
      ...asked,
    }),
  );
}

/** The operation of a `call_tool_*`; undefined for every other name. */
function operationCalled(name: string): OperationType | undefined {
  const variant = ToolVariant.options.find((each) => each === name);
  return variant && operationOf(variant);
}

/** A client of the older revisions shows the dialogs in the data of this error, and nobody has marked them. */
const URL_ELICITATION_REQUIRED = -32042;

/** Errors of a server that asked for input are for the client program: it lacks a capability, or sent a wrong response. */
function clientError(
  { code, message, details }: ProxyError,
  continuation: ToolRequest['continuation'],
): RpcError | undefined {
  if (code === 'INVALID_STATE') return new RpcError(CODE.invalidParams, message, { data: details });
  const { rpc_code: rpcCode, rpc_message: rpcMessage, data } = details;
  if (code !== 'UPSTREAM_FAILED' || typeof rpcCode !== 'number' || !continuation) return undefined;
  const lacksCapability = rpcCode === CODE.missingCapability;
  const isRound = continuation.inputResponses !== undefined || continuation.requestState !== undefined;
  if ((!lacksCapability && !isRound) || rpcCode === URL_ELICITATION_REQUIRED) return undefined;
  const text = typeof rpcMessage === 'string' ? rpcMessage : message;
  return new RpcError(rpcCode, text, { data, status: lacksCapability ? 400 : 200 });
}

/** The task of a client of 2026-07-28 fails with an error of the protocol; a result with `isError` is one of the tool itself. */
function isModernTask({ continuation, task }: ToolRequest): boolean {
  return continuation !== undefined && task?.isOpen === true;
}

/** Searches are recorded, and so are calls of tools that do not exist. */
async function withRecord(
  { activity }: ToolHandlerParts,
  { name, input, caller }: { name: string; input: unknown; caller: Caller },
  answer: () => Found,
): Promise<CallResult> {
  const record = activity.open({
    type: 'discovery',
    source: caller.source,
    tool_name: name.slice(0, 512),
    arguments: input ?? {},
    request_id: caller.requestId,
    ...(caller.sessionId && { session_id: caller.sessionId }),
    ...(caller.client && { client: caller.client }),
    metadata: { ...callerMetadata(caller) },
  });
  caller.trace?.set?.({ 'mcpproxy.record.id': record.id });
  try {
    const value = answer();
    await record.close({ status: 'success', response: foundNames(value) });
    return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value };
  } catch (cause) {
    const error = toProxyError(cause);
    caller.trace?.fail?.(error.code);
    // The refusal is returned even where it cannot be recorded.
    // The caller gets the first error; a failing log reports itself.
    await record
      .close({ status: error.outcome, error_code: error.code, error_message: error.message })
      .catch(() => {});
    throw error;
  }
}

type Found = { tools: Array<{ name: string }> } | FoundItems;

/** Enough for the record of a search. */
function foundNames(found: Found): object {
  if ('tools' in found) return { tools: found.tools.map((tool) => tool.name) };
  return { [`${found.kind}s`]: found.items.map((item) => item.name ?? item.uri ?? item.uri_template) };
}

function unknownTool(name: string, { catalog }: ToolHandlerParts, { token }: Caller): ProxyError {
  const shown = name.slice(0, 200);
  if (name === 'call_tool') {
    return new ProxyError(
      'TOOL_NOT_FOUND',
      "Tool 'call_tool' not found. Use call_tool_read, call_tool_write, or call_tool_destructive with matching intent.operation_type. See retrieve_tools for annotations and recommendations.",
      { use: ToolVariant.options },
    );
  }
  const upstream = catalog.get(name);
  if (upstream?.offered && !isOutOfScope(token, name, upstream)) {
    return new ProxyError(
      'TOOL_NOT_FOUND',
      `'${shown}' is a tool of a server: call it with ${upstream.callWith}, name "${shown}"`,
      {
        call_with: upstream.callWith,
      },
    );
  }
  const nearest = nearestTools(name, catalog, token);
  const hint =
    nearest.length > 0
      ? `Did you mean ${nearest.map((near) => `'${near}'`).join(', ')}?`
      : 'Use retrieve_tools to find tools.';
  return new ProxyError('TOOL_NOT_FOUND', `Tool '${shown}' not found. ${hint}`, { tool: shown, nearest });
}

/** Of the proxy's own tools, or else of the servers'. */
function nearestTools(name: string, catalog: ToolHandlerParts['catalog'], token: Caller['token']): string[] {
  const own = PROXY_TOOLS.filter((each) => editDistance(name, each, 3) <= 3);
  return own.length > 0 ? own : catalog.nearest(name, audienceOf(token));
}
