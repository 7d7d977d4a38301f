import { ActiveCall, continuationOf } from './active-call.ts';
import { clientName } from './answers.ts';
import { callerOf } from './caller.ts';
import { CallTable } from './call-table.ts';
import type { McpCore, Visitor } from './core.ts';
import { malformed } from './parse-message.ts';
import type { Reply } from './reply.ts';
import { tracedReply, traceOf, type Arrival } from './trace-request.ts';
import {
  CODE,
  errorMessage,
  META,
  metaOf,
  MODERN_REVISIONS,
  resultMessage,
  RpcError,
  type Request,
} from './wire.ts';

/** Clients of revision 2026-07-28: every request says by itself who sends it, so that one peer serves them all. */
export class ModernPeer {
  readonly calls: CallTable;
  readonly #core: McpCore;
  readonly #inFlight: number;

  constructor(core: McpCore, inFlight: number) {
    this.#core = core;
    this.#inFlight = inFlight;
    this.calls = new CallTable({ ...core, render: (result) => core.answers.modernResult(result) });
  }

  /** `key`: by what the call can be cancelled, if it becomes one. */
  request(key: unknown, request: Request, visitor: Visitor, arrival: Arrival, to: Reply): void {
    const { tracer } = this.#core;
    const said = tracer && { revision: MODERN_REVISIONS[0]!, principal: visitor.principal };
    const reply = said ? tracedReply(tracer, to, request, arrival, said) : to;
    try {
      this.#dispatch(key, request, visitor, arrival, reply);
    } catch (cause) {
      if (!(cause instanceof RpcError)) throw cause;
      const excerpt = () => JSON.stringify(request);
      const { principal, token } = visitor;
      const { requestId } = arrival;
      const from = { principal, tokenId: token?.id, requestId, client: clientOf(request), excerpt };
      this.#core.badRequests.add(cause, from);
      reply.answer(errorMessage(request.id, cause), cause.status);
    }
  }

  #dispatch(key: unknown, request: Request, visitor: Visitor, arrival: Arrival, reply: Reply): void {
    const { answers } = this.#core;
    switch (request.method) {
      case 'tools/call':
        return this.#call(key, request, visitor, arrival, reply);
      case 'tools/list':
        return reply.answer(resultMessage(request.id, answers.modernList(clientOf(request))));
      case 'server/discover':
        return reply.answer(resultMessage(request.id, answers.discover()));
      default:
        throw new RpcError(CODE.methodNotFound, `Method not found: ${request.method.slice(0, 200)}`, {
          status: 404,
        });
    }
  }

  #call(key: unknown, request: Request, visitor: Visitor, arrival: Arrival, reply: Reply): void {
    if (this.calls.has(key)) throw malformed('a request with this id is already in flight');
    if (this.calls.size >= this.#inFlight) {
      throw new RpcError(CODE.server, `Too many calls in flight: the limit is ${this.#inFlight}`, {
        status: 503,
      });
    }
    const trace = traceOf(reply, request, arrival);
    const caller = callerOf(visitor, arrival.requestId, { client: clientOf(request), trace });
    this.calls.run(key, new ActiveCall(request, caller, reply, continuationOf(request.params)));
  }
}

function clientOf(request: Request): string | undefined {
  return clientName(metaOf(request.params)?.[META.clientInfo]);
}
