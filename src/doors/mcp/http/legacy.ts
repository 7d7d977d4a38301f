import { checkBatch, runBatch } from './batch.ts';
import type { McpCore } from '../core.ts';
import { EventWriter } from './event-writer.ts';
import { createFindSession } from './find-session.ts';
import { LegacyPeer } from '../legacy-peer.ts';
import { isModern } from '../revision.ts';
import { createSessionIds } from './session-ids.ts';
import type { Session, Sessions } from './sessions.ts';
import { readEventId, type StreamPosition } from '../anywhere/event-ids.ts';
import { createSharedSessions } from '../anywhere/shared-sessions.ts';
import type { ListName } from '../subscriptions.ts';
import { withSpan } from '../arrival.ts';
import {
  CODE,
  malformed,
  PRIMED_REVISION,
  resultMessage,
  RpcError,
  type Message,
  type Request,
  type Shape,
} from '../wire.ts';
import { Exchange, headerOf, rejectRequest, sendAccepted, type HttpRequest } from './exchange.ts';
import type { JsonObject } from '../../../json/index.ts';

/** The 2025 revisions over HTTP. Errors are thrown as RpcError and answered by the caller. */
export function createLegacyDoor(core: McpCore, sessions: Sessions) {
  const ids = core.sessionKeeping && createSessionIds(core.sessionKeeping);
  const sharing = core.sessionKeeping?.sharing;
  const shared = sharing && createSharedSessions({ core, sessions, sharing });
  const { withSession, end } = createFindSession({ core, sessions, ids, shared });

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
    shared?.attach(peer);
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
      const request = message as Request;
      return peer.request(request, http, new Exchange(http.res, core.limits, { peer, request: request.id }));
    }
    const response = message as unknown as JsonObject;
    const isDone = shape === 'response' ? peer.response(response) : peer.notification(message);
    if (isDone || !shared) return sendAccepted(http);
    shared.passOn(peer, shape === 'response' ? { response } : { notification: message }).then(
      () => sendAccepted(http),
      (error: unknown) => {
        if (error instanceof RpcError) return rejectRequest(core, http, { cause: error });
        core.log.error(
          { err: error, session: peer.sessionId },
          'a message cannot be passed on to another proxy',
        );
        rejectRequest(core, http, { cause: notPassedOn() });
      },
    );
  }

  function openStream(session: Session, http: HttpRequest): void {
    const position = readEventId(headerOf(http, 'last-event-id') ?? '');
    if (position?.kind === 'request' && shared) return resumeRequest(session, http, position);
    // A client that comes back has lost the earlier one, whether this proxy knows it or not.
    if (position) session.stream?.end();
    else if (session.stream) {
      throw new RpcError(CODE.server, 'Conflict: this session already has a stream', { status: 409 });
    }
    http.res.setHeader('mcp-session-id', session.key);
    const stream = new EventWriter(http.res, core.limits);
    session.stream = stream;
    // It may have said so to another proxy.
    session.peer.initialized = true;
    if (shared) {
      session.eventId = shared.eventId;
      if (session.peer.revision === PRIMED_REVISION) stream.prime(shared.eventId());
      shared.streamOpened(session, position);
    }
    http.res.on('close', () => {
      if (session.stream === stream) session.stream = undefined;
      stream.end();
      session.lastUsed = core.clock.now();
    });
  }

  function resumeRequest(
    session: Session,
    http: HttpRequest,
    position: Extract<StreamPosition, { kind: 'request' }>,
  ): void {
    http.res.setHeader('mcp-session-id', session.key);
    const stream = new EventWriter(http.res, core.limits);
    const stop = shared!.resume(session.peer.sessionId, position, stream);
    http.res.on('close', () => {
      stop();
      stream.end();
      session.lastUsed = core.clock.now();
    });
  }

  return {
    listChanged: (list: ListName) => shared?.listChanged(list),
    close: () => shared?.close(),

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

function notPassedOn(): RpcError {
  const message =
    'The message belongs to a call at another proxy, and cannot be passed on now: the database does not answer. Send it again';
  return new RpcError(CODE.server, message, { status: 503 });
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
