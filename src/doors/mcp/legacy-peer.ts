import { ActiveCall } from './active-call.ts';
import type { Handshake } from './answers.ts';
import { callerOf } from './caller.ts';
import { CallTable } from './call-table.ts';
import { ClientQuestions } from './held/client-questions.ts';
import type { McpCore, Visitor } from './core.ts';
import { LegacyHold } from './held/legacy-hold.ts';
import { malformed } from './parse-message.ts';
import type { Reply } from './reply.ts';
import { tooManyCalls } from './too-many-calls.ts';
import { tracedReply, traceOf, type Arrival } from './trace-request.ts';
import {
  CODE,
  errorMessage,
  isRequestId,
  LEGACY_REVISIONS,
  resultMessage,
  RpcError,
  type Message,
  type Request,
} from './wire.ts';
import type { JsonObject } from '../../json/index.ts';

/** A client of the 2025 revisions: it says once who it is, and its request ids mean something only to itself. */
export class LegacyPeer {
  readonly sessionId: string;
  readonly visitor: Visitor;
  readonly calls: CallTable;
  revision = LEGACY_REVISIONS[0]!;
  client: string | undefined;
  /** Set once the client said that it is ready for notifications. */
  initialized = false;
  readonly #core: McpCore;
  readonly #questions = new ClientQuestions();
  #forms = false;

  constructor(core: McpCore, visitor: Visitor, sessionId: string) {
    this.#core = core;
    this.visitor = visitor;
    this.sessionId = sessionId;
    this.calls = new CallTable({ ...core, render: (result) => core.answers.legacyResult(result) });
  }

  shakeHands({ revision, client, forms }: Handshake): void {
    this.revision = revision;
    this.client = client;
    this.#forms = forms;
  }

  /** What the client answers to a question of ours. */
  response(message: JsonObject): void {
    this.#questions.answered(message);
  }

  request(request: Request, arrival: Arrival, to: Reply): void {
    const { tracer } = this.#core;
    const reply = tracer ? tracedReply(tracer, to, request, arrival, this.said) : to;
    try {
      this.#dispatch(request, arrival, reply);
    } catch (cause) {
      if (!(cause instanceof RpcError)) throw cause;
      const { sessionId, client, visitor } = this;
      const excerpt = () => JSON.stringify(request);
      void this.#core.badRequests.add(cause, {
        principal: visitor.principal,
        tokenId: visitor.token?.id,
        requestId: arrival.requestId,
        sessionId,
        client,
        excerpt,
      });
      reply.answer(errorMessage(request.id, cause), cause.status);
    }
  }

  notification({ method, params }: Message): void {
    if (method === 'notifications/initialized') this.initialized = true;
    if (method === 'notifications/cancelled' && isRequestId(params?.requestId)) {
      const reason =
        typeof params.reason === 'string' ? params.reason.slice(0, 200) : 'cancelled by the client';
      this.calls.cancel(params.requestId, reason);
    }
  }

  /** What a span tells of this client. */
  get said() {
    const { revision, sessionId, visitor } = this;
    return { revision, sessionId, principal: visitor.principal };
  }

  #dispatch(request: Request, arrival: Arrival, reply: Reply): void {
    const { answers } = this.#core;
    switch (request.method) {
      case 'tools/call':
        return this.#call(request, arrival, reply);
      case 'tools/list':
        return reply.answer(resultMessage(request.id, answers.legacyList(this.client)));
      case 'ping':
        return reply.answer(resultMessage(request.id, {}));
      case 'initialize': {
        const handshake = answers.handshake(request.params);
        this.shakeHands(handshake);
        return reply.answer(resultMessage(request.id, handshake.result));
      }
      default:
        throw new RpcError(CODE.methodNotFound, `Method not found: ${request.method.slice(0, 200)}`);
    }
  }

  #call(request: Request, arrival: Arrival, reply: Reply): void {
    if (this.calls.has(request.id)) throw malformed('a request with this id is already in flight');
    if (this.calls.size >= this.#core.limits.inFlight) throw tooManyCalls(this.calls.size);
    const { sessionId, client, visitor } = this;
    const trace = traceOf(reply, request, arrival);
    const caller = callerOf(visitor, arrival.requestId, { sessionId, client, trace });
    const call = new ActiveCall(request, caller, reply);
    call.hold = this.#holdOf(call);
    this.calls.run(request.id, call);
  }

  #holdOf(call: ActiveCall): LegacyHold | undefined {
    const { approvals, log } = this.#core;
    return (
      approvals && new LegacyHold(call, { approvals, questions: this.#questions, forms: this.#forms, log })
    );
  }
}
