import type { WaitHooks } from '../../approval/index.ts';
import type { CallResult, Caller, Cancellation, Identity, Trace } from '../../contract/call.ts';
import type { ToolMode } from '../../contract/tool.ts';
import { isObject, type JsonObject } from '../../json/index.ts';
import { ofRequest, type Log } from '../../lib/log.ts';
import { clientOf, TurnoverMap } from '../../load/index.ts';
import type { CallRequest } from '../../road/index.ts';
import type { ItemRequest } from './items/item-methods.ts';
import type { UpdateSender } from './items/update-sender.ts';
import type { Reply } from './reply.ts';
import type { DoorTask } from './tasks/live-tasks.ts';
import {
  CODE,
  errorMessage,
  MAX_ID_LENGTH,
  META,
  metaOf,
  resultMessage,
  RpcError,
  type Request,
} from './wire.ts';

/** What every request to the road has. */
export interface RoadRequest extends Pick<
  CallRequest,
  'caller' | 'signal' | 'onProgress' | 'continuation' | 'hooks' | 'channel'
> {
  /** How long the client waits for an answer, where it says so. */
  readonly waitMs?: number | undefined;
  /** Whether the client itself cancelled the request. */
  readonly left?: boolean;
}

/** A request for a prompt, a resource or a completion. */
export interface ItemCallRequest extends RoadRequest {
  readonly kind: ItemRequest;
  readonly params: JsonObject | undefined;
  /** Of a subscription. */
  readonly updates?: UpdateSender | undefined;
}

/** A `tools/call` as the handler of the proxy's own tools sees it. */
export interface ToolRequest extends RoadRequest {
  name: string;
  arguments: unknown;
  /** What the client sees in tools/list; absent: the proxy's own tools. */
  mode?: ToolMode;
  /** For a client that can be given a task instead of the result. */
  task?: DoorTask | undefined;
}

export type HandleTool = (request: ToolRequest) => Promise<CallResult>;

type Continuation = NonNullable<CallRequest['continuation']>;
type OnProgress = NonNullable<CallRequest['onProgress']>;

const isItemCall = (call: ActiveCall): call is ActiveCall & ItemCallRequest => call.kind !== undefined;

/** How a call arrived, and where its answer goes. */
interface CallWay {
  reply: Reply;
  mode: ToolMode;
  kind?: ItemRequest | undefined;
}

type Listener = Parameters<Cancellation['addEventListener']>[1];

/** One request in flight that runs on the road. It is its own cancellation signal, which saves an AbortController per call. */
export class ActiveCall implements ToolRequest, Cancellation {
  readonly id: Request['id'];
  /** Absent: a tool call. */
  readonly kind: ItemRequest | undefined;
  readonly params: JsonObject | undefined;
  readonly name: string;
  readonly arguments: unknown;
  readonly caller: Caller;
  readonly reply: Reply;
  readonly mode: ToolMode;
  readonly onProgress: OnProgress | undefined;
  /** Set for a subscription of a client of the 2025 revisions. */
  updates: UpdateSender | undefined;
  waitMs: number | undefined;
  /** Set for clients of 2026-07-28. */
  continuation: Continuation | undefined;
  /** Set for clients of the 2025 revisions. */
  hooks: WaitHooks | undefined;
  task: DoorTask | undefined;
  /** Whom the server of the call can ask. */
  channel: ToolRequest['channel'];
  aborted = false;
  reason: string | undefined;
  /** Set where the client cancelled the call. */
  left = false;
  readonly #listeners: Listener[] = [];

  constructor({ id, params }: Request, caller: Caller, { reply, mode, kind }: CallWay) {
    this.id = id;
    this.kind = kind;
    this.params = params;
    this.name = kind === undefined ? toolName(params) : '';
    this.arguments = params?.arguments;
    this.caller = caller;
    this.reply = reply;
    this.mode = mode;
    this.onProgress = params && progressSender(params, this);
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

/** What a 2026 request carries for a server that asked for input. */
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

/** Progress is sent only to a client that gave a progress token, with exactly this token. */
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

interface CallerDetails {
  sessionId?: string | undefined;
  client?: string | undefined;
  address?: string | undefined;
  trace?: Trace | undefined;
}

/** The caller of a call over MCP: its authenticated identity, and what the client says about itself. */
export function callerOf(
  { principal, userId, token }: Identity,
  requestId: string,
  { sessionId, client, address, trace }: CallerDetails,
): Caller {
  return {
    source: 'mcp',
    principal,
    userId,
    requestId,
    ...(token && { token }),
    ...(sessionId && { sessionId }),
    ...(client && { client }),
    ...(address && { address }),
    ...(trace && { trace }),
  };
}

/** One client has too many calls in flight, so this one is rejected. It was read, so it is recorded. */
export function tooManyCalls(inFlight: number, status?: number): RpcError {
  const message = `Too many calls in flight: this client has ${inFlight}. The call was not made; wait for some of them to end, then try again.`;
  const data = { code: 'OVERLOADED', in_flight: inFlight, retry_after_s: 1 };
  return new RpcError(CODE.server, message, { data, record: 'OVERLOADED', ...(status && { status }) });
}

interface CallTableParts {
  handleTool: HandleTool;
  /** Prompts, resources and completions; absent: there are none. */
  items: { handle(request: ItemCallRequest): Promise<CallResult> } | undefined;
  log: Log;
  /** Converts a result to what the client's revision can carry. */
  render: (result: CallResult, call: ActiveCall) => JsonObject;
}

/** The calls of one peer that have not ended. A cancelled call stays until its handler has ended too. */
export class CallTable {
  readonly #parts: CallTableParts;
  readonly #open = new TurnoverMap<unknown, ActiveCall>();
  readonly #byClient = new Map<string, number>();
  #onEmpty: (() => void) | undefined;

  constructor(parts: CallTableParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#open.size;
  }

  has(key: unknown): boolean {
    return this.#open.has(key);
  }

  /** How many calls this client has. */
  countOf(client: string): number {
    return this.#byClient.get(client) ?? 0;
  }

  run(key: unknown, call: ActiveCall): void {
    const client = clientOf(call.caller);
    this.#open.set(key, call);
    this.#byClient.set(client, this.countOf(client) + 1);
    const { handleTool, items } = this.#parts;
    (items && isItemCall(call) ? items.handle(call) : handleTool(call)).then(
      (result) => this.#succeed(key, call, result),
      (cause: unknown) => this.#fail(key, call, cause),
    );
  }

  /** Aborts the handler and ends the reply without an answer. A call that has become a task outlives its request. */
  cancel(key: unknown, reason: string): void {
    const call = this.#open.get(key);
    if (!call || call.aborted || call.task?.isOpen) return;
    call.left = true;
    call.cancel(reason);
    call.reply.cancelled();
  }

  cancelAll(reason: string): void {
    for (const key of this.#open.keys()) this.cancel(key, reason);
  }

  /** Aborts handlers and answers their clients with the error. */
  failAll(error: RpcError, matches: (call: ActiveCall) => boolean = () => true): void {
    for (const call of this.#open.values()) {
      if (call.aborted || !matches(call)) continue;
      call.cancel(error.message);
      call.reply.answer(errorMessage(call.id, error), error.status);
    }
  }

  /** Resolves when every handler has ended, or at the deadline. */
  settled(deadlineMs: number): Promise<void> {
    if (this.#open.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const deadline = setTimeout(resolve, deadlineMs);
      this.#onEmpty = () => {
        clearTimeout(deadline);
        resolve();
      };
    });
  }

  #succeed(key: unknown, call: ActiveCall, result: CallResult): void {
    this.#close(key, call);
    if (!call.aborted) call.reply.answer(resultMessage(call.id, this.#parts.render(result, call)));
  }

  #fail(key: unknown, call: ActiveCall, cause: unknown): void {
    this.#close(key, call);
    if (call.aborted) return;
    if (!(cause instanceof RpcError)) {
      this.#parts.log.error({ err: cause, ...ofRequest(call.caller) }, 'tool handler failed');
    }
    const error = cause instanceof RpcError ? cause : new RpcError(CODE.internal, 'Internal error');
    call.reply.answer(errorMessage(call.id, error), error.status);
  }

  #close(key: unknown, { caller }: ActiveCall): void {
    this.#open.delete(key);
    const client = clientOf(caller);
    const left = this.countOf(client) - 1;
    if (left > 0) this.#byClient.set(client, left);
    else this.#byClient.delete(client);
    if (this.#open.size === 0) this.#onEmpty?.();
  }
}

/** How long a cancelled call may take to end. */
const ABORT_MS = 2_000;

/** Shutdown: calls in flight may finish until the deadline; then they are cancelled and their clients get an error. */
export async function finishCalls(tables: CallTable[], drainMs: number): Promise<void> {
  const settled = (deadlineMs: number) => Promise.all(tables.map((table) => table.settled(deadlineMs)));
  await settled(drainMs);
  for (const table of tables) table.failAll(new RpcError(CODE.server, 'The proxy is stopping'));
  await settled(ABORT_MS);
}
