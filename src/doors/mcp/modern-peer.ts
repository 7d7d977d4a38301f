import { hash } from 'node:crypto';
import { knowsTasks, type Caller, type Trace } from '../../contract/call.ts';
import type { ToolMode } from '../../contract/tool.ts';
import { canonicalJson, isObject, type JsonObject } from '../../json/index.ts';
import { clientOf, hasFairShare } from '../../load/index.ts';
import type { ClientChannel } from '../../road/index.ts';
import { clientName } from './answers.ts';
import { readLevel, wantsLevel } from './asks/log-level.ts';
import { ActiveCall, callerOf, CallTable, continuationOf, tooManyCalls } from './calls.ts';
import type { McpCore } from './core.ts';
import { listedBy, requestedBy } from './items/item-methods.ts';
import type { Reply } from './reply.ts';
import { TaskReply } from './tasks/task-reply.ts';
import { declaredWaitMs, traceOf, withSpan, type Arrival } from './arrival.ts';
import {
  CODE,
  errorMessage,
  malformed,
  META,
  metaOf,
  MODERN_REVISIONS,
  resultMessage,
  RpcError,
  type Request,
} from './wire.ts';

interface ModernPeerOptions {
  /** Calls in flight of all clients. */
  inFlight: number;
  /** The key by which a call can be cancelled. */
  keyOf: (request: Request, arrival: Arrival) => unknown;
}

/** Clients of revision 2026-07-28: every request names its sender, so one peer serves all clients. */
export class ModernPeer {
  readonly calls: CallTable;
  readonly #core: McpCore;
  readonly #options: ModernPeerOptions;

  constructor(core: McpCore, options: ModernPeerOptions) {
    this.#core = core;
    this.#options = options;
    this.calls = new CallTable({ ...core, render: (result) => core.answers.modernResult(result) });
  }

  request(request: Request, arrival: Arrival, to: Reply): void {
    const { tracer } = this.#core;
    const { requestId, identity, address } = arrival;
    const subject = tracer && { revision: MODERN_REVISIONS[0]!, principal: identity.principal };
    const reply = subject ? withSpan(tracer, to, { request, arrival, subject }) : to;
    try {
      this.#dispatch(request, arrival, reply);
    } catch (cause) {
      if (!(cause instanceof RpcError)) throw cause;
      const excerpt = () => JSON.stringify(request);
      const { principal, token } = identity;
      const from = { principal, tokenId: token?.id, requestId, client: programOf(request), address, excerpt };
      void this.#core.badRequests.add(cause, from);
      reply.answer(errorMessage(request.id, cause), cause.status);
    }
  }

  #dispatch(request: Request, arrival: Arrival, reply: Reply): void {
    const { answers } = this.#core;
    const mode = this.#core.modeOf(arrival);
    switch (request.method) {
      case 'tools/call':
        return this.#call(request, arrival, reply);
      case 'tools/list':
        return reply.answer(
          resultMessage(request.id, answers.modernList(listRequest(request, arrival, mode))),
        );
      case 'server/discover':
        return reply.answer(resultMessage(request.id, answers.discover(mode, programOf(request))));
      default:
        if (this.#item(request, arrival, reply)) return;
        if (this.#core.tasks?.modern(request, arrival.identity, reply)) return;
        throw new RpcError(CODE.methodNotFound, `Method not found: ${request.method.slice(0, 200)}`, {
          status: 404,
        });
    }
  }

  /** A list or a request of something else than tools. */
  #item(request: Request, arrival: Arrival, reply: Reply): boolean {
    const { items, answers } = this.#core;
    const list = listedBy(request.method);
    if (!items || (!list && !requestedBy(request.method))) return false;
    const { identity } = arrival;
    if (list)
      reply.answer(
        resultMessage(
          request.id,
          answers.forModern(items.list(list, { identity, cursor: request.params?.cursor })),
        ),
      );
    else this.#call(request, arrival, reply);
    return true;
  }

  #call(request: Request, arrival: Arrival, reply: Reply): void {
    const { identity } = arrival;
    const key = this.#options.keyOf(request, arrival);
    if (this.calls.has(key)) throw malformed('a request with this id is already in flight');
    const own = this.calls.countOf(clientOf(identity));
    // No share limits the operator.
    const counted = identity.principal === 'operator' ? 0 : own;
    if (!hasFairShare(counted, this.calls.size, this.#options.inFlight)) throw tooManyCalls(own, 429);
    const trace = traceOf(reply, request, arrival);
    const caller = modernCaller(request, arrival, trace);
    const kind = request.method === 'tools/call' ? undefined : requestedBy(request.method);
    const continuation = continuationOf(request.params);
    const tasks = !kind && knowsTasks(continuation.clientCapabilities) ? this.#core.tasks : undefined;
    const to = tasks ? new TaskReply(reply) : reply;
    const call = new ActiveCall(request, caller, { reply: to, mode: this.#core.modeOf(arrival), kind });
    call.continuation = continuation;
    call.waitMs = declaredWaitMs(arrival);
    call.channel = modernChannel(call, request.params);
    if (to instanceof TaskReply) tasks!.mayBecomeTask(call, to);
    this.calls.run(key, call);
  }
}

/** Who subscribes in revision 2026-07-28: to a server the same client as in its calls. */
export function modernListener(request: Request, arrival: Arrival) {
  const caller = modernCaller(request, arrival);
  return { caller, channel: modernChannel({ caller, aborted: true }, request.params) };
}

/** Who sends a request of revision 2026-07-28. */
function modernCaller(request: Request, { identity, requestId, address }: Arrival, trace?: Trace): Caller {
  return callerOf(identity, requestId, { client: programOf(request), address, trace });
}

function listRequest(request: Request, { identity }: Arrival, mode: ToolMode) {
  return { client: programOf(request), mode, identity, cursor: request.params?.cursor };
}

function programOf(request: Request): string | undefined {
  return clientName(metaOf(request.params)?.[META.clientInfo]);
}

/**
 * What a client since 2026-07-28 can be asked for. It has no session: it is known by its credential, its program and its capabilities, and
 * it is asked by the result of its call.
 */
function modernChannel(call: ChannelCall, params: JsonObject | undefined): ClientChannel | undefined {
  const meta = metaOf(params);
  const wanted = meta?.[META.logLevel];
  const level = wanted === undefined ? undefined : readLevel(wanted);
  const declared = meta?.[META.clientCapabilities];
  const capabilities = isObject(declared) ? declared : {};
  const { elicitation, sampling, roots } = capabilities;
  if (!(elicitation ?? sampling ?? roots) && level === undefined) return undefined;
  return new ModernChannel(call, capabilities, level);
}

/** The call that log messages are sent with. */
type ChannelCall = Pick<ActiveCall, 'caller' | 'aborted'> & Partial<Pick<ActiveCall, 'reply'>>;

/** A class, because an object with a getter that is made for each call would keep the whole call until the next full collection. */
class ModernChannel implements ClientChannel {
  readonly capabilities: JsonObject;
  readonly logLevel: string | undefined;
  readonly #call: ChannelCall;

  constructor(call: ChannelCall, capabilities: JsonObject, logLevel: string | undefined) {
    this.#call = call;
    this.capabilities = capabilities;
    this.logLevel = logLevel;
  }

  get key(): string {
    const { principal, userId, token, client } = this.#call.caller;
    const parts = [principal, userId, token?.id ?? null, client ?? null, this.capabilities];
    return `client ${hash('sha256', canonicalJson(parts), 'hex')}`;
  }

  log(message: JsonObject): void {
    const { aborted, reply } = this.#call;
    if (this.logLevel === undefined || aborted || !wantsLevel(this.logLevel, message.level)) return;
    reply?.notify({ jsonrpc: '2.0', method: 'notifications/message', params: message });
  }
}
