import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BadRequests, TurnedAway, UnheardRequest } from '../../../log/index.ts';
import { API_PREFIX, routes } from '../../../contract/routes/api.ts';
import type { Identity } from '../../../contract/call.ts';
import { ProxyError, toProxyError } from '../../../contract/errors.ts';
import type { Log } from '../../../lib/log.ts';
import { createLongRoom, type AskRoom, type RoomSizes } from '../../../load/index.ts';
import { sendError, sendJson, setCommonHeaders } from '../answer.ts';
import { sendResponse, toRequest } from '../bridge.ts';
import { pathOf, type Guard } from '../guard/guard.ts';
import { recordDenial } from '../guard/record-denial.ts';
import { aboutRequest, nameRequest } from '../request-id.ts';
import type { WebDoor } from './web-door.ts';

/** Who is behind a request that passed the guard. */
export interface Visitor extends Identity {
  requestId: string;
  /** Address of the far end. */
  remote: string;
  /** When it fires, what this request has opened ends. */
  until?: AbortSignal;
}

export interface Readiness {
  ready: boolean;
  /** How many servers are in which state. Shown without a key, so no names. */
  states: Record<string, number>;
  /** Whether the activity log can be written. */
  log: 'ok' | 'unavailable';
}

export interface RequestParts {
  guard: Guard;
  mcp: (req: IncomingMessage, res: ServerResponse, visitor: Visitor, room: AskRoom) => void;
  rest: (request: Request, visitor: Visitor & { room: AskRoom }) => Promise<Response>;
  ready: () => Readiness;
  web?: WebDoor;
  /** Where credentials that do not fit are recorded. */
  badRequests: BadRequests;
  /** Where requests that are too many are counted. */
  turnedAway: TurnedAway;
  /** The refusal that a call of this caller would end with now; asked before its body is read. */
  refusal?: (caller: Identity) => ProxyError | undefined;
  log: Log;
  /** How much there may be of long messages. */
  room?: Partial<RoomSizes>;
}

const CALL_PATH = `${API_PREFIX}${routes.callTool.path}`;

/**
 * The order is the same on every path, known or not: who is addressed (Host, Origin), health, whose key, where to. Nothing is awaited on
 * the way to /mcp. `seen`: who the guard has just found behind the key.
 */
export function createRequestHandler(parts: RequestParts) {
  const { guard, mcp, rest, ready, web, badRequests, log } = parts;
  const askRoom = createLongRoom(parts.room);
  return function handle(
    req: IncomingMessage,
    res: ServerResponse,
    { proceed, seen }: { proceed?: (() => void) | undefined; seen?: Identity | undefined } = {},
  ): void {
    const requestId = nameRequest(req);
    setCommonHeaders(res, requestId);
    try {
      const path = pathOf(req);
      const isHealth = path === '/healthz' || path === '/readyz';
      guard.checkAddress(req, isHealth && (req.method === 'GET' || req.method === 'HEAD'));
      if (isHealth) return answerHealth(req, res, path === '/readyz' ? ready() : undefined);
      const isMcp = path === '/mcp';
      const atPage = !isMcp && web !== undefined && web(req, res, path);
      if (atPage) return atPage === true ? undefined : void finish(atPage, req, res, requestId);
      const identity = isMcp ? guard.checkMcpKey(req, seen) : guard.checkKey(req, seen);
      const visitor: Visitor = { ...identity, requestId, remote: req.socket.remoteAddress ?? '' };
      const unheard = path === CALL_PATH ? parts.refusal?.(visitor) : undefined;
      if (unheard) return turnAway(req, res, visitor, unheard);
      if (visitor.until) endWith(res, visitor.until);
      proceed?.();
      const room = roomFor(req, res, visitor);
      if (isMcp) mcp(req, res, visitor, room);
      else void finish(answerRest(req, res, { ...visitor, room }), req, res, requestId);
    } catch (cause) {
      fail(req, res, cause, requestId);
    }
  };

  /** Where it is sure that there is no room, a call is not read, checked and recorded first: that would keep the others waiting. */
  function turnAway(req: IncomingMessage, res: ServerResponse, visitor: Visitor, error: ProxyError): void {
    count(req, visitor, 'calls');
    req.resume();
    sendError(res, error, visitor.requestId);
  }

  function count(req: IncomingMessage, { remote, principal }: Visitor, of: UnheardRequest['of']): void {
    parts.turnedAway.add({ remote, principal, firstLine: `${req.method} ${req.url}`, of });
  }

  /** Where a long message asks for room; it is given back at the latest when there is nobody to answer any more. */
  function roomFor(req: IncomingMessage, res: ServerResponse, visitor: Visitor): AskRoom {
    return (bytes) => {
      const place = askRoom(visitor.token?.id ?? visitor.principal, bytes);
      res.once('close', place.leave);
      void place.ready.then((isIn) => isIn || count(req, visitor, res.destroyed ? 'left' : 'long'));
      return place;
    };
  }

  async function answerRest(
    req: IncomingMessage,
    res: ServerResponse,
    visitor: Visitor & { room: AskRoom },
  ): Promise<void> {
    await sendResponse(await rest(asRequest(req, res), visitor), res);
  }

  async function finish(
    answering: Promise<void>,
    req: IncomingMessage,
    res: ServerResponse,
    requestId: string,
  ): Promise<void> {
    await answering.catch((cause: unknown) => fail(req, res, cause, requestId));
  }

  function fail(req: IncomingMessage, res: ServerResponse, cause: unknown, requestId: string): void {
    // Whoever left, or was cut, has made nothing break.
    const isGone = req.destroyed && !req.complete && !(cause instanceof ProxyError);
    if (isGone) return void res.destroy();
    const error = toProxyError(cause);
    const recorded = recordDenial(badRequests, req, error, requestId);
    if (error.code === 'INTERNAL')
      log.error({ err: error.cause, ...aboutRequest(req) }, 'request failed inside');
    if (recorded) void recorded.then(() => answerError(res, error, requestId));
    else answerError(res, error, requestId);
  }
}

function answerError(res: ServerResponse, error: ProxyError, requestId: string): void {
  // Half an answer cannot be taken back; cutting the connection tells the client that it is not whole.
  if (res.headersSent) res.destroy();
  else sendError(res, error, requestId);
}

/** How long what a session has opened may take to end by itself. */
const LOG_OUT_MS = 1_000;

/** An answer that is still under way a moment after the log-out is cut. */
function endWith(res: ServerResponse, until: AbortSignal): void {
  const cut = () => setTimeout(() => res.writableFinished || res.destroy(), LOG_OUT_MS).unref();
  until.addEventListener('abort', cut, { once: true });
  res.once('close', () => until.removeEventListener('abort', cut));
}

function asRequest(req: IncomingMessage, res: ServerResponse): Request {
  try {
    return toRequest(req, res);
  } catch (cause) {
    throw new ProxyError(
      'INVALID_REQUEST',
      'The request has a method, address or header that cannot be understood',
    ).withCause(cause);
  }
}

function answerHealth(req: IncomingMessage, res: ServerResponse, readiness?: Readiness): void {
  if (req.method !== 'GET' && req.method !== 'HEAD') {
    throw new ProxyError('METHOD_NOT_ALLOWED', `${pathOf(req)} takes GET and HEAD only`, {
      allow: ['GET', 'HEAD'],
    });
  }
  if (readiness === undefined) return sendJson(res, 200, { status: 'ok' });
  sendJson(res, readiness.ready ? 200 : 503, {
    status: readiness.ready ? 'ready' : readiness.log === 'ok' ? 'starting' : 'unavailable',
    servers: readiness.states,
    log: readiness.log,
  });
}
