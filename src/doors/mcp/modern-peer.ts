import { clientOf, hasFairShare } from '../../load/index.ts';
import { ActiveCall, continuationOf } from './active-call.ts';
import { clientName } from './answers.ts';
import { callerOf } from './caller.ts';
import { CallTable } from './call-table.ts';
import type { McpCore, Visitor } from './core.ts';
import { malformed } from './parse-message.ts';
import type { Reply } from './reply.ts';
import { tooManyCalls } from './too-many-calls.ts';
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
      const from = { principal, tokenId: token?.id, requestId, client: programOf(request), excerpt };
      void this.#core.badRequests.add(cause, from);
      reply.answer(errorMessage(request.id, cause), cause.status);
    }
  }

  #dispatch(key: unknown, request: Request, visitor: Visitor, arrival: Arrival, reply: Reply): void {
    const { answers } = this.#core;
    switch (request.method) {
      case 'tools/call':
        return this.#call(key, request, visitor, arrival, reply);
      case 'tools/list':
        return reply.answer(resultMessage(request.id, answers.modernList(programOf(request))));
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
    const own = this.calls.countOf(clientOf(visitor));
    // The operator may have all that there is.
    const counted = visitor.principal === 'operator' ? 0 : own;
    if (!hasFairShare(counted, this.calls.size, this.#inFlight)) throw tooManyCalls(own, 429);
    const trace = traceOf(reply, request, arrival);
    const caller = callerOf(visitor, arrival.requestId, { client: programOf(request), trace });
    this.calls.run(key, new ActiveCall(request, caller, reply, continuationOf(request.params)));
  }
}

function programOf(request: Request): string | undefined {
  return clientName(metaOf(request.params)?.[META.clientInfo]);
}
