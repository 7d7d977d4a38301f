import { checkBatch, runBatch } from './batch.ts';
import type { McpCore } from '../core.ts';
import { EventWriter } from './event-writer.ts';
import { Exchange } from '../exchange.ts';
import { LegacyPeer } from '../legacy-peer.ts';
import { malformed, type Shape } from '../parse-message.ts';
import { isModern } from '../revision.ts';
import type { Session, Sessions } from './sessions.ts';
import { tracedReply } from '../trace-request.ts';
import { accepted, headerOf, type Visit } from '../visit.ts';
import { CODE, LEGACY_REVISIONS, resultMessage, RpcError, type Message, type Request } from '../wire.ts';
import type { JsonObject } from '../../../json/index.ts';

/** The 2025 revisions over HTTP. Everything here throws RpcError; whoever calls it answers. */
export function createLegacyDoor(core: McpCore, sessions: Sessions) {
  function sessionOf(visit: Visit): Session {
    const id = headerOf(visit, 'mcp-session-id');
    if (id === undefined) throw bad('the Mcp-Session-Id header is required; send "initialize" first');
    const session = sessions.find(id, visit.visitor);
    if (!session) {
      const message = 'Session not found: it ended or never was; send "initialize" for a new one';
      throw new RpcError(CODE.sessionNotFound, message, { status: 404, record: 'INVALID_REQUEST' });
    }
    const version = headerOf(visit, 'mcp-protocol-version');
    if (version !== undefined && !LEGACY_REVISIONS.includes(version)) {
      throw bad(
        `unsupported protocol version ${version.slice(0, 200)} (supported: ${LEGACY_REVISIONS.join(', ')})`,
      );
    }
    return session;
  }

  function initialize(visit: Visit, request: Request): void {
    const given = headerOf(visit, 'mcp-session-id');
    if (given !== undefined && sessions.find(given, visit.visitor))
      throw malformed('this session is initialized already');
    const handshake = core.answers.handshake(request.params);
    const { peer } = sessions.open((id) => new LegacyPeer(core, visit.visitor, id));
    peer.shakeHands(handshake);
    const exchange = new Exchange(visit.res, core.limits, { 'mcp-session-id': peer.sessionId });
    const reply = core.tracer ? tracedReply(core.tracer, exchange, request, visit, peer.said) : exchange;
    reply.answer(resultMessage(request.id, handshake.result));
  }

  return {
    post(visit: Visit, message: Message, shape: Shape): void {
      requireAccept(visit);
      if (shape === 'request' && message.method === 'initialize')
        return initialize(visit, message as Request);
      const { peer } = sessionOf(visit);
      if (shape === 'request') {
        return peer.request(message as Request, visit, new Exchange(visit.res, core.limits));
      }
      if (shape === 'notification') peer.notification(message);
      if (shape === 'response') peer.response(message as unknown as JsonObject);
      accepted(visit);
    },

    batch(visit: Visit, body: unknown[]): void {
      requireAccept(visit);
      const batch = checkBatch(body, core.limits.batch);
      const { peer } = sessionOf(visit);
      runBatch(peer, batch, visit, () => new Exchange(visit.res, core.limits));
      if (batch.requests.length === 0) accepted(visit);
    },

    /** The stream for what belongs to no request. */
    listen(visit: Visit): void {
      if (isModern(headerOf(visit, 'mcp-protocol-version') ?? '')) throw notAllowed('GET');
      if (!(visit.req.headers.accept ?? '').includes('text/event-stream'))
        throw unacceptable('text/event-stream');
      const session = sessionOf(visit);
      if (session.stream) {
        throw new RpcError(CODE.server, 'Conflict: this session has a stream already', { status: 409 });
      }
      const stream = new EventWriter(visit.res, core.limits, { 'mcp-session-id': session.peer.sessionId });
      session.stream = stream;
      visit.res.on('close', () => {
        if (session.stream === stream) session.stream = undefined;
        stream.end();
        session.lastUsed = core.clock.now();
      });
    },

    remove(visit: Visit): void {
      if (isModern(headerOf(visit, 'mcp-protocol-version') ?? '')) throw notAllowed('DELETE');
      sessions.end(sessionOf(visit), 'the client ended the session');
      visit.res.writeHead(200).end();
    },
  };
}

export type LegacyDoor = ReturnType<typeof createLegacyDoor>;

function requireAccept({ req }: Visit): void {
  const accept = req.headers.accept ?? '';
  if (accept.includes('*/*')) return;
  if (!accept.includes('application/json') || !accept.includes('text/event-stream')) {
    throw unacceptable('both application/json and text/event-stream');
  }
}

function unacceptable(types: string): RpcError {
  const message = `Not Acceptable: the Accept header must name ${types}`;
  return new RpcError(CODE.server, message, { status: 406, record: 'INVALID_REQUEST' });
}

function notAllowed(method: string): RpcError {
  return new RpcError(CODE.server, `Method not allowed: ${method} has no meaning in this protocol revision`, {
    status: 405,
  });
}

function bad(problem: string): RpcError {
  return new RpcError(CODE.server, `Bad Request: ${problem}`, { status: 400, record: 'INVALID_REQUEST' });
}
