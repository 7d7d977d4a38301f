import { checkBatch, runBatch } from './batch.ts';
import type { McpCore } from '../core.ts';
import { EventWriter } from './event-writer.ts';
import { createFindSession } from './find-session.ts';
import { LegacyPeer } from '../legacy-peer.ts';
import { isModern } from '../revision.ts';
import { createSessionIds } from './session-ids.ts';
import type { Session, Sessions } from './sessions.ts';
import { withSpan } from '../trace-request.ts';
import { CODE, malformed, resultMessage, RpcError, type Message, type Request, type Shape } from '../wire.ts';
import { Exchange, headerOf, sendAccepted, type HttpRequest } from './exchange.ts';
import type { JsonObject } from '../../../json/index.ts';

/** The 2025 revisions over HTTP. Errors are thrown as RpcError and answered by the caller. */
export function createLegacyDoor(core: McpCore, sessions: Sessions) {
  const ids = core.sessionKeeping && createSessionIds(core.sessionKeeping);
  const { withSession, end } = createFindSession({ core, sessions, ids });

  function initialize(http: HttpRequest, request: Request): void {
    const given = headerOf(http, 'mcp-session-id');
    if (given !== undefined && sessions.find(given, http.identity))
      throw malformed('this session is already initialized');
    const { identity } = http;
    const { negotiated, result } = core.answers.handshake(request.params, core.modeOf(http));
    const isDirect = http.isDirect === true;
    const { peer, key } = sessions.open(
      (id) => new LegacyPeer(core, identity, id),
      (id) => ids?.issue(id, identity, { negotiated, isDirect }) ?? id,
    );
    peer.applyHandshake(negotiated);
    peer.isDirect = isDirect;
    http.res.setHeader('mcp-session-id', key);
    const exchange = new Exchange(http.res, core.limits);
    const trace = { request, arrival: http, subject: peer.spanSubject };
    const reply = core.tracer ? withSpan(core.tracer, exchange, trace) : exchange;
    reply.answer(resultMessage(request.id, result));
  }

  function receive(
    peer: LegacyPeer,
    { http, message, shape }: { http: HttpRequest; message: Message; shape: Shape },
  ): void {
    if (shape === 'request') {
      return peer.request(message as Request, http, new Exchange(http.res, core.limits));
    }
    if (shape === 'notification') peer.notification(message);
    if (shape === 'response') peer.response(message as unknown as JsonObject);
    sendAccepted(http);
  }

  function openStream(session: Session, http: HttpRequest): void {
    if (session.stream) {
      throw new RpcError(CODE.server, 'Conflict: this session already has a stream', { status: 409 });
    }
    http.res.setHeader('mcp-session-id', session.key);
    const stream = new EventWriter(http.res, core.limits);
    session.stream = stream;
    http.res.on('close', () => {
      if (session.stream === stream) session.stream = undefined;
      stream.end();
      session.lastUsed = core.clock.now();
    });
  }

  return {
    post(http: HttpRequest, message: Message, shape: Shape): void {
      requireAccept(http);
      if (shape === 'request' && message.method === 'initialize') return initialize(http, message as Request);
      withSession(http, ({ peer }) => receive(peer, { http, message, shape }), message);
    },

    batch(http: HttpRequest, body: unknown[]): void {
      requireAccept(http);
      const batch = checkBatch(body, core.limits.batch);
      http.addRequests?.(body.length - 1);
      withSession(http, ({ peer }) => {
        runBatch(peer, batch, { arrival: http, openReply: () => new Exchange(http.res, core.limits) });
        if (batch.requests.length === 0) sendAccepted(http);
      });
    },

    /** Opens the stream for messages that belong to no request. */
    listen(http: HttpRequest): void {
      if (isModern(headerOf(http, 'mcp-protocol-version') ?? '')) throw notAllowed('GET');
      if (!(http.req.headers.accept ?? '').includes('text/event-stream'))
        throw notAcceptable('text/event-stream');
      withSession(http, (session) => openStream(session, http));
    },

    remove(http: HttpRequest): void {
      if (isModern(headerOf(http, 'mcp-protocol-version') ?? '')) throw notAllowed('DELETE');
      withSession(http, (session) => void end(session, http));
    },
  };
}

export type LegacyDoor = ReturnType<typeof createLegacyDoor>;

function requireAccept({ req }: HttpRequest): void {
  const accept = req.headers.accept ?? '';
  if (accept.includes('*/*')) return;
  if (!accept.includes('application/json') || !accept.includes('text/event-stream')) {
    throw notAcceptable('both application/json and text/event-stream');
  }
}

function notAcceptable(types: string): RpcError {
  const message = `Not Acceptable: the Accept header must name ${types}`;
  return new RpcError(CODE.server, message, { status: 406, record: 'INVALID_REQUEST' });
}

function notAllowed(method: string): RpcError {
  return new RpcError(CODE.server, `Method not allowed: ${method} is not used in this protocol revision`, {
    status: 405,
  });
}
