import type { Identity } from '../../contract/call.ts';
import type { ToolMode } from '../../contract/tool.ts';
import type { Negotiated } from './answers.ts';
import { ActiveCall, callerOf, CallTable, tooManyCalls } from './calls.ts';
import type { McpCore } from './core.ts';
import { LegacyClient } from './asks/legacy-client.ts';
import { ClientRequests } from './approval/client-requests.ts';
import { LegacyWait } from './approval/legacy-wait.ts';
import { listedBy, requestedByLegacy } from './items/item-methods.ts';
import { UpdateSender } from './items/update-sender.ts';
import type { KeptStream } from './anywhere/kept-stream.ts';
import type { Reply } from './reply.ts';
import { declaredWaitMs, traceOf, withSpan, type Arrival } from './arrival.ts';
import {
  CODE,
  errorMessage,
  isRequestId,
  LEGACY_REVISIONS,
  malformed,
  resultMessage,
  RpcError,
  type Message,
  type Outgoing,
  type Request,
  type RequestId,
} from './wire.ts';
import type { JsonObject } from '../../json/index.ts';
import type { ClientChannel } from '../../road/index.ts';

/** A client of the 2025 revisions: it introduces itself once, and its request ids are unique only within its session. */
export class LegacyPeer {
  readonly sessionId: string;
  readonly identity: Identity;
  readonly calls: CallTable;
  revision = LEGACY_REVISIONS[0]!;
  client: string | undefined;
  /** The session was opened at /mcp/direct. */
  isDirect = false;
  /** Sends a message that belongs to no request; without effect while the client has no stream for them. */
  push: (message: Outgoing) => void = () => undefined;
  /** Set once the client is ready for notifications. */
  initialized = false;
  readonly #core: McpCore;
  readonly #clientRequests = new ClientRequests();
  readonly updates = new UpdateSender(
    (uri) => this.push({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } }),
    (server, uri) => this.#core.items?.isReadable(this.identity, server, uri) === true,
  );
  /** Stores the log level before the client is answered. Absent: it ends with this process. */
  storeLevel: ((level: string) => Promise<void>) | undefined;
  /** Absent: an answer whose connection breaks is lost. */
  keepStream: ((request: RequestId) => KeptStream) | undefined;
  /** What servers may ask of the client. */
  readonly #asks: LegacyClient;
  #forms = false;

  constructor(core: McpCore, identity: Identity, sessionId: string) {
    this.#core = core;
    this.identity = identity;
    this.sessionId = sessionId;
    this.#asks = new LegacyClient(sessionId);
    this.calls = new CallTable({
      ...core,
      render: (result, call) => core.answers.legacyResult(result, call),
    });
  }

  applyHandshake({ revision, client, forms, asks }: Negotiated): void {
    this.#asks.introduce(asks);
    this.revision = revision;
    this.client = client;
    this.#forms = forms;
  }

  /** What was settled at another proxy, or before a restart. */
  applySettings(level: string | undefined, uris: readonly string[]): void {
    if (level !== undefined) this.#asks.setLevel({ level });
    this.updates.keepOnly(uris);
  }

  /** The client's response to a request of ours; false: no request of this proxy waits for it. */
  response(message: JsonObject): boolean {
    return this.#clientRequests.answered(message) || this.#asks.answered(message);
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

  /** False: it concerns other proxies that serve the session, too. */
  notification({ method, params }: Message): boolean {
    if (method === 'notifications/initialized') this.initialized = true;
    if (method === 'notifications/roots/list_changed') {
      // A server that keeps the roots asks for them again on its next connection.
      this.#core.clientChanged?.(this.#asks.key);
      return false;
    }
    if (method !== 'notifications/cancelled' || !isRequestId(params?.requestId)) return true;
    const isHere = this.calls.has(params.requestId);
    const reason =
      typeof params.reason === 'string' ? params.reason.slice(0, 200) : 'cancelled by the client';
    this.calls.cancel(params.requestId, reason);
    return isHere;
  }

  /** Which client this is to a server, in a request that the proxy makes for it. */
  get silentChannel(): ClientChannel | undefined {
    return this.#asks.silentChannel;
  }

  /** The client has left: nobody is told of changes any more. */
  leave(): void {
    this.#core.items?.unwatch(this.updates);
    this.#core.clientChanged?.(this.#asks.key);
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
      case 'logging/setLevel':
        return this.#setLevel(request, reply);
      case 'initialize': {
        const handshake = answers.handshake(request.params, mode);
        this.applyHandshake(handshake.negotiated);
        return reply.answer(resultMessage(request.id, handshake.result));
      }
      default:
        if (this.#item(request, arrival, reply)) return;
        if (this.#core.tasks?.legacy(request, this, reply)) return;
        throw new RpcError(CODE.methodNotFound, `Method not found: ${request.method.slice(0, 200)}`);
    }
  }

  #setLevel({ id, params }: Request, reply: Reply): void {
    const level = this.#asks.setLevel(params);
    const done = () => reply.answer(resultMessage(id, {}));
    if (!this.storeLevel) return done();
    this.storeLevel(level).then(done, (error: unknown) => {
      this.#core.log.error(
        { err: error, session: this.sessionId },
        'the log level of a session is not stored',
      );
      reply.answer(
        errorMessage(id, new RpcError(CODE.server, 'The log level could not be stored; try again')),
      );
    });
  }

  /** A list or a request of something else than tools. */
  #item(request: Request, arrival: Arrival, reply: Reply): boolean {
    const { items } = this.#core;
    const list = listedBy(request.method);
    if (!items || (!list && !requestedByLegacy(request.method))) return false;
    if (list)
      reply.answer(
        resultMessage(
          request.id,
          items.list(list, { identity: this.identity, cursor: request.params?.cursor }),
        ),
      );
    else this.#call(request, arrival, reply);
    return true;
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
    const { tasks } = this.#core;
    const mode = this.#core.modeOf(arrival);
    const kind = requestedByLegacy(request.method);
    const isTask = kind === undefined && request.params?.task !== undefined;
    if (tasks && isTask && this.revision === LEGACY_REVISIONS[0])
      return tasks.start(request, { caller, reply, mode, push: (message) => this.push(message) });
    const call = new ActiveCall(request, caller, { reply, mode, kind });
    call.waitMs = declaredWaitMs(arrival);
    call.hooks = this.#waitFor(call);
    call.updates = this.updates;
    call.channel = this.#asks.channelFor(call);
    this.calls.run(request.id, call);
  }

  #waitFor(call: ActiveCall): LegacyWait | undefined {
    const { approvals, log } = this.#core;
    const onUnattended = () => (this.#forms = false);
    const parts = { requests: this.#clientRequests, forms: this.#forms, onUnattended, log };
    return approvals && new LegacyWait(call, { approvals, ...parts });
  }
}
