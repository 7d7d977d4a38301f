import type { CallRequest } from '../../road/index.ts';
import type { Hold } from '../../approval/index.ts';
import type { Caller, Cancellation } from '../../contract/call.ts';
import type { ToolRequest } from './tools/tool-request.ts';
import type { Reply } from './reply.ts';
import { CODE, MAX_ID_LENGTH, META, metaOf, RpcError, type Request } from './wire.ts';
import { isObject, type JsonObject } from '../../json/index.ts';

type Continuation = NonNullable<CallRequest['continuation']>;
type OnProgress = NonNullable<CallRequest['onProgress']>;

type Listener = Parameters<Cancellation['addEventListener']>[1];

/** One `tools/call` in flight; it tells by itself whether it was cancelled. */
export class ActiveCall implements ToolRequest, Cancellation {
  readonly id: Request['id'];
  readonly name: string;
  readonly arguments: unknown;
  readonly caller: Caller;
  readonly reply: Reply;
  readonly onProgress: OnProgress | undefined;
  readonly continuation: Continuation | undefined;
  /** There for clients of the 2025 revisions. */
  hold: Hold | undefined;
  aborted = false;
  reason: string | undefined;
  /** Set where it was the client that ended the call. */
  left = false;
  readonly #listeners: Listener[] = [];

  constructor({ id, params }: Request, caller: Caller, reply: Reply, continuation?: Continuation) {
    this.id = id;
    this.name = toolName(params);
    this.arguments = params!.arguments;
    this.caller = caller;
    this.reply = reply;
    this.onProgress = progressSender(params!, this);
    this.continuation = continuation;
  }

  get signal(): Cancellation {
    return this;
  }

  addEventListener(_type: 'abort', listener: Listener): void {
    this.#listeners.push(listener);
  }

  removeEventListener(_type: 'abort', listener: Listener): void {
    const index = this.#listeners.indexOf(listener);
    if (index >= 0) this.#listeners.splice(index, 1);
  }

  cancel(reason: string): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    for (const listener of this.#listeners.slice()) listener.handleEvent();
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
  if (typeof token === 'string' ? token.length > MAX_ID_LENGTH : typeof token !== 'number') {
    throw invalidParams(
      `"_meta.progressToken" must be a string of up to ${MAX_ID_LENGTH} characters, or a number`,
    );
  }
  return (progress) => {
    if (call.aborted) return;
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
