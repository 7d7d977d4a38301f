import type { CallResult } from '../../../contract/call.ts';
import { toProxyError } from '../../../contract/errors.ts';
import { isObject, withFields } from '../../../json/index.ts';
import { readProxiedUri } from '../../../lib/resource-uri.ts';
import { ofRequest, type Log } from '../../../lib/log.ts';
import type { CallRequest, CallTool } from '../../../road/index.ts';
import type { RunInRounds } from '../approval/rounds.ts';
import type { ItemCallRequest } from '../calls.ts';
import { runOnRoad } from '../tools/handle-tool.ts';
import { CODE, metaOf, RpcError } from '../wire.ts';
import { itemError, unfinished } from './item-error.ts';
import type { ItemRequest } from './item-methods.ts';
import { proxiedEntries, proxiedSkill } from './list-items.ts';
import { MAX_SUBSCRIBED } from './update-sender.ts';

export interface ItemHandlerParts {
  callTool: CallTool;
  /** Absent: no request ever waits for a person. */
  runInRounds?: RunInRounds;
  log: Log;
}

export type HandleItem = (request: ItemCallRequest) => Promise<CallResult>;

/** The key of `_meta` by which a client may say why it asks. */
const REASON_KEY = 'mcpproxy/reason';
/** For a client of 2026-07-28: what the caller may read must not be shared with others. */
const CACHEABLE: readonly ItemRequest[] = ['resource', 'skill', 'directory'];
/** The methods of the extension for skills; both eras have the same error codes there. */
const EXTENSION: readonly ItemRequest[] = ['skill', 'directory'];
const UNCACHED = { ttlMs: 0, cacheScope: 'private' };

/** Handles requests for prompts, resources and completions: each is a request on the road. Errors are thrown as RpcError. */
export function createItemHandler(parts: ItemHandlerParts): HandleItem {
  return async function handleItem(request) {
    const isModern = request.continuation !== undefined;
    try {
      const result = await run(parts, request);
      if (!isModern && result.resultType === 'input_required') throw unfinished();
      const shown = EXTENSION.includes(request.kind) ? underProxiedUris(result, request.params?.uri) : result;
      return isModern && CACHEABLE.includes(request.kind) ? forModern(shown) : shown;
    } catch (cause) {
      if (cause instanceof RpcError) throw cause;
      const error = toProxyError(cause);
      if (error.code === 'INTERNAL')
        parts.log.error(
          { err: error.cause, ...ofRequest(request.caller) },
          'a request failed with an internal error',
        );
      throw itemError(error, {
        isModern: isModern || EXTENSION.includes(request.kind),
        uri: request.params?.uri,
      });
    }
  };
}

async function run(parts: ItemHandlerParts, request: ItemCallRequest): Promise<CallResult> {
  const { kind, params, updates } = request;
  if (kind === 'subscribe' && updates?.isFull) throw tooManySubscribed();
  // A completion has no rounds in which a person could be asked at the client.
  const { callTool } = parts;
  const ask = () => runOnRoad(kind === 'completion' ? { callTool } : parts, request, askedBy(request));
  if (!updates || typeof params?.uri !== 'string') return ask();
  if (kind === 'subscribe') return updates.subscribe(params.uri, ask);
  const result = await ask();
  if (kind === 'unsubscribe') await updates.unsubscribe(params.uri);
  return result;
}

function tooManySubscribed(): RpcError {
  const message = `Too many subscriptions: the limit is ${MAX_SUBSCRIBED}. Unsubscribe from other resources first.`;
  return new RpcError(CODE.server, message, { record: 'OVERLOADED' });
}

function askedBy({
  kind,
  params,
  updates,
}: ItemCallRequest): Pick<
  CallRequest,
  'kind' | 'operation' | 'input' | 'intentSource' | 'reason' | 'watcher'
> {
  const reason = metaOf(params)?.[REASON_KEY];
  return {
    kind,
    operation: 'read',
    intentSource: 'verdict',
    input: params,
    ...((kind === 'subscribe' || kind === 'unsubscribe') && { watcher: updates }),
    ...(typeof reason === 'string' && { reason }),
  };
}

/** Who asks by the URI of the proxy gets such URIs; who asks by that of the server gets what the server says. */
function underProxiedUris(result: CallResult, asked: unknown): CallResult {
  const server = typeof asked === 'string' ? readProxiedUri(asked)?.server : undefined;
  if (server === undefined) return result;
  const { skill, resources } = result;
  if (isObject(skill)) return withFields(result, { skill: proxiedSkill(server, skill) });
  return Array.isArray(resources)
    ? withFields(result, { resources: proxiedEntries(server, resources) })
    : result;
}

/** Servers of the older era say nothing about caching. */
function forModern(result: CallResult): CallResult {
  if (result.resultType === 'input_required') return result;
  if (result.ttlMs === undefined) return withFields(result, UNCACHED);
  return result.cacheScope === 'private' ? result : withFields(result, { cacheScope: 'private' });
}
