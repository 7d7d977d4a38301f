import type { CallRequest } from '../call/call-tool.ts';
import type { Caller } from '../contract/caller.ts';
import type { ToolRequest } from './handle-tool.ts';
import type { Reply } from './reply.ts';
import { CODE, isObject, META, metaOf, RpcError, type JsonObject, type Request } from './wire.ts';

type Continuation = NonNullable<CallRequest['continuation']>;
type OnProgress = NonNullable<CallRequest['onProgress']>;

/** One `tools/call` in flight. The signal is made only when somebody looks at it: it costs more than the rest of the request. */
export class ActiveCall implements ToolRequest {
  readonly id: Request['id'];
  readonly name: string;
  readonly arguments: unknown;
  readonly caller: Caller;
  readonly reply: Reply;
  readonly onProgress: OnProgress | undefined;
  readonly continuation: Continuation | undefined;
  cancelled = false;
  #controller: AbortController | undefined;
  #reason: string | undefined;

  constructor({ id, params }: Request, caller: Caller, reply: Reply, continuation?: Continuation) {
    this.id = id;
    this.name = toolName(params);
    this.arguments = params!.arguments;
    this.caller = caller;
    this.reply = reply;
    this.onProgress = progressSender(params!, this);
    this.continuation = continuation;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.cancelled) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  cancel(reason: string): void {
    if (this.cancelled) return;
    this.cancelled = true;
    this.#reason = reason;
    this.#controller?.abort(reason);
  }
}

/** What a 2026 request brings for a server that asks back. */
export function continuationOf(params: JsonObject | undefined): Continuation {
  const continuation: Continuation = {};
  const capabilities = metaOf(params)?.[META.clientCapabilities];
  if (isObject(capabilities)) continuation.clientCapabilities = capabilities;
  if (params?.inputResponses !== undefined) continuation.inputResponses = params.inputResponses;
  if (params?.requestState !== undefined) continuation.requestState = params.requestState;
  return continuation;
}

function toolName(params: JsonObject | undefined): string {
  if (typeof params?.name === 'string') return params.name;
  throw invalidParams('"name" must be a string, the name of a tool');
}

/** Only a client that gave a token wants to hear of progress; it gets exactly this token back. */
function progressSender(params: JsonObject, call: ActiveCall): OnProgress | undefined {
  const meta = params._meta;
  if (meta === undefined) return undefined;
  if (!isObject(meta)) throw invalidParams('"_meta" must be an object');
  const token = meta.progressToken;
  if (token === undefined) return undefined;
  if (typeof token !== 'string' && typeof token !== 'number') {
    throw invalidParams('"_meta.progressToken" must be a string or a number');
  }
  return (progress) => {
    if (call.cancelled) return;
    call.reply.notify({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { ...progress, progressToken: token },
    });
  };
}

function invalidParams(problem: string): RpcError {
  return new RpcError(CODE.invalidParams, `Invalid params: ${problem}`, { record: 'INVALID_REQUEST' });
}
