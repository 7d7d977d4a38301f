import { checkBatch, runBatch } from './batch.ts';
import type { McpCore } from '../core.ts';
import { EventWriter } from './event-writer.ts';
import { LegacyPeer } from '../legacy-peer.ts';
import { isModern } from '../revision.ts';
import type { Session, Sessions } from './sessions.ts';
import { withSpan } from '../trace-request.ts';
import {
  CODE,
  LEGACY_REVISIONS,
  malformed,
  resultMessage,
  RpcError,
  type Message,
  type Request,
  type Shape,
} from '../wire.ts';
import { Exchange, headerOf, sendAccepted, type HttpRequest } from './exchange.ts';
import type { JsonObject } from '../../../json/index.ts';

/** The 2025 revisions over HTTP. Errors are thrown as RpcError and answered by the caller. */
export function createLegacyDoor(core: McpCore, sessions: Sessions) {
  function sessionOf(http: HttpRequest): Session {
    const id = headerOf(http, 'mcp-session-id');
    if (id === undefined) throw badRequest('the Mcp-Session-Id header is required; send "initialize" first');
    const session = sessions.find(id, http.identity);
    if (!session) {
      const message = 'Session not found: it has ended or never existed; send "initialize" for a new one';
      throw new RpcError(CODE.sessionNotFound, message, { status: 404, record: 'INVALID_REQUEST' });
    }
    const version = headerOf(http, 'mcp-protocol-version');
    if (version !== undefined && !LEGACY_REVISIONS.includes(version)) {
      throw badRequest(
        `unsupported protocol version ${version.slice(0, 200)} (supported: ${LEGACY_REVISIONS.join(', ')})`,
      );
    }
    return session;
  }

  function initialize(http: HttpRequest, request: Request): void {
    const given = headerOf(http, 'mcp-session-id');
    if (given !== undefined && sessions.find(given, http.identity))
      throw malformed('this session is already initialized');
    const handshake = core.answers.handshake(request.params, core.modeOf(http));
    const { peer } = sessions.open((id) => new LegacyPeer(core, http.identity, id));
    peer.applyHandshake(handshake);
    peer.isDirect = http.isDirect === true;
    http.res.setHeader('mcp-session-id', peer.sessionId);
    const exchange = new Exchange(http.res, core.limits);
    const trace = { request, arrival: http, subject: peer.spanSubject };
    const reply = core.tracer ? withSpan(core.tracer, exchange, trace) : exchange;
    reply.answer(resultMessage(request.id, handshake.result));
  }

  return {
    post(http: HttpRequest, message: Message, shape: Shape): void {
      requireAccept(http);
      if (shape === 'request' && message.method === 'initialize') return initialize(http, message as Request);
      const { peer } = sessionOf(http);
      if (shape === 'request') {
        return peer.request(message as Request, http, new Exchange(http.res, core.limits));
      }
      if (shape === 'notification') peer.notification(message);
      if (shape === 'response') peer.response(message as unknown as JsonObject);
      sendAccepted(http);
    },

    batch(http: HttpRequest, body: unknown[]): void {
      requireAccept(http);
      const batch = checkBatch(body, core.limits.batch);
      http.addRequests?.(body.length - 1);
      const { peer } = sessionOf(http);
      runBatch(peer, batch, { arrival: http, openReply: () => new Exchange(http.res, core.limits) });
      if (batch.requests.length === 0) sendAccepted(http);
    },

    /** Opens the stream for messages that belong to no request. */
    listen(http: HttpRequest): void {
      if (isModern(headerOf(http, 'mcp-protocol-version') ?? '')) throw notAllowed('GET');
      if (!(http.req.headers.accept ?? '').includes('text/event-stream'))
        throw notAcceptable('text/event-stream');
      const session = sessionOf(http);
      if (session.stream) {
        throw new RpcError(CODE.server, 'Conflict: this session already has a stream', { status: 409 });
      }
      http.res.setHeader('mcp-session-id', session.peer.sessionId);
      const stream = new EventWriter(http.res, core.limits);
      session.stream = stream;
      http.res.on('close', () => {
        if (session.stream === stream) session.stream = undefined;
        stream.end();
        session.lastUsed = core.clock.now();
      });
    },

    remove(http: HttpRequest): void {
      if (isModern(headerOf(http, 'mcp-protocol-version') ?? '')) throw notAllowed('DELETE');
      sessions.end(sessionOf(http), 'the client ended the session');
      http.res.writeHead(200).end();
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

function badRequest(problem: string): RpcError {
  return new RpcError(CODE.server, `Bad Request: ${problem}`, { status: 400, record: 'INVALID_REQUEST' });
}
