import type { Identity } from '../../contract/call.ts';
import type { ToolMode } from '../../contract/tool.ts';
import type { Negotiated } from './answers.ts';
import { ActiveCall, callerOf, CallTable, tooManyCalls } from './calls.ts';
import type { McpCore } from './core.ts';
import { ClientRequests } from './approval/client-requests.ts';
import { LegacyWait } from './approval/legacy-wait.ts';
import type { Reply } from './reply.ts';
import { traceOf, withSpan, type Arrival } from './trace-request.ts';
import {
  CODE,
  errorMessage,
  isRequestId,
  LEGACY_REVISIONS,
  malformed,
  resultMessage,
  RpcError,
  type Message,
  type Request,
} from './wire.ts';
import type { JsonObject } from '../../json/index.ts';

/** A client of the 2025 revisions: it introduces itself once, and its request ids are unique only within its session. */
export class LegacyPeer {
  readonly sessionId: string;
  readonly identity: Identity;
  readonly calls: CallTable;
  revision = LEGACY_REVISIONS[0]!;
  client: string | undefined;
  /** The session was opened at /mcp/direct. */
  isDirect = false;
  /** Set once the client is ready for notifications. */
  initialized = false;
  readonly #core: McpCore;
  readonly #clientRequests = new ClientRequests();
  #forms = false;

  constructor(core: McpCore, identity: Identity, sessionId: string) {
    this.#core = core;
    this.identity = identity;
    this.sessionId = sessionId;
    this.calls = new CallTable({ ...core, render: (result) => core.answers.legacyResult(result) });
  }

  applyHandshake({ revision, client, forms }: Negotiated): void {
    this.revision = revision;
    this.client = client;
    this.#forms = forms;
  }

  /** The client's response to a request of ours. */
  response(message: JsonObject): void {
    this.#clientRequests.answered(message);
  }

  request(request: Request, arrival: Arrival, to: Reply): void {
    const { tracer } = this.#core;
    const reply = tracer ? withSpan(tracer, to, { request, arrival, subject: this.spanSubject }) : to;
    try {
      this.#dispatch(request, arrival, reply);
    } catch (cause) {
      if (!(cause instanceof RpcError)) throw cause;
      const { sessionId, client, identity } = this;
      const excerpt = () => JSON.stringify(request);
      void this.#core.badRequests.add(cause, {
        principal: identity.principal,
        tokenId: identity.token?.id,
        requestId: arrival.requestId,
        sessionId,
        client,
        address: arrival.address,
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

  /** What a span says about this client. */
  get spanSubject() {
    const { revision, sessionId, identity } = this;
    return { revision, sessionId, principal: identity.principal };
  }

  #dispatch(request: Request, arrival: Arrival, reply: Reply): void {
    const { answers } = this.#core;
    const mode = this.#core.modeOf(arrival);
    switch (request.method) {
      case 'tools/call':
        return this.#call(request, arrival, reply);
      case 'tools/list':
        return reply.answer(resultMessage(request.id, answers.legacyList(this.#listRequest(request, mode))));
      case 'ping':
        return reply.answer(resultMessage(request.id, {}));
      case 'initialize': {
        const handshake = answers.handshake(request.params, mode);
        this.applyHandshake(handshake.negotiated);
        return reply.answer(resultMessage(request.id, handshake.result));
      }
      default:
        throw new RpcError(CODE.methodNotFound, `Method not found: ${request.method.slice(0, 200)}`);
    }
  }

  #listRequest({ params }: Request, mode: ToolMode) {
    const { client, identity } = this;
    return { client, mode, identity, cursor: params?.cursor };
  }

  #call(request: Request, arrival: Arrival, reply: Reply): void {
    if (this.calls.has(request.id)) throw malformed('a request with this id is already in flight');
    if (this.calls.size >= this.#core.limits.inFlight) throw tooManyCalls(this.calls.size);
    const { sessionId, client, identity } = this;
    const trace = traceOf(reply, request, arrival);
    const caller = callerOf(identity, arrival.requestId, {
      sessionId,
      client,
      address: arrival.address,
      trace,
    });
    const call = new ActiveCall(request, caller, { reply, mode: this.#core.modeOf(arrival) });
    call.hooks = this.#waitFor(call);
    this.calls.run(request.id, call);
  }

  #waitFor(call: ActiveCall): LegacyWait | undefined {
    const { approvals, log } = this.#core;
    return (
      approvals &&
      new LegacyWait(call, { approvals, requests: this.#clientRequests, forms: this.#forms, log })
    );
  }
}
