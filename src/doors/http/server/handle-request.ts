import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Identity } from '../../../contract/call.ts';
import { ProxyError, toProxyError } from '../../../contract/errors.ts';
import { API_PREFIX, routes } from '../../../contract/routes/api.ts';
import type { Log } from '../../../lib/log.ts';
import { clientOf, createBodyBudget, type BodyBudgetLimits, type ReserveBody } from '../../../load/index.ts';
import type { BadRequests, RejectedRequests, RejectedRequest } from '../../../log/index.ts';
import {
  assignRequestId,
  requestIdOf,
  requestLogFields,
  sendError,
  sendJson,
  setCommonHeaders,
} from '../answer.ts';
import { sendResponse, toRequest } from '../bridge.ts';
import { pathOf, type Authenticated, type Guard } from '../guard/guard.ts';
import { recordDenial } from '../guard/record-denial.ts';
import type { WebDoor } from './web-door.ts';

/** The authenticated sender of a request, and what belongs to this request alone. */
export interface HttpCaller extends Identity {
  requestId: string;
  /** Address of the client. */
  remote: string;
  /** Aborted when the web session that sent the request is logged out. */
  until?: AbortSignal;
  /** The program that the credential belongs to. */
  via?: Authenticated['via'];
  /** Reserves room for a long body. */
  reserve: ReserveBody;
}

export interface Readiness {
  ready: boolean;
  /** The number of servers per state. Shown without a key, so without names. */
  states: Record<string, number>;
  /** Whether the activity log can be written, and whether it has all its entries. */
  log: 'ok' | 'unavailable' | 'rolled_back';
}

export interface RequestParts {
  guard: Guard;
  mcp: (req: IncomingMessage, res: ServerResponse, caller: HttpCaller) => void;
  rest: (request: Request, caller: HttpCaller) => Promise<Response>;
  ready: () => Readiness;
  web?: WebDoor;
  /** Records requests with a wrong credential. */
  badRequests: BadRequests;
  /** Counts requests that are rejected before they are read. */
  rejectedRequests: RejectedRequests;
  /** The error that a call of this caller would certainly end with; asked before its body is read. */
  rejection?: (caller: Identity) => ProxyError | undefined;
  log: Log;
  bodyBudget?: Partial<BodyBudgetLimits>;
}

interface Arrival {
  /** Tells a client that waits for "100 Continue" to send its body. */
  proceed?: (() => void) | undefined;
  /** The identity that the guard has just found for the credential. */
  seen?: Identity | undefined;
}

const CALL_PATH = `${API_PREFIX}${routes.callTool.path}`;

/**
 * The order is the same on every path, known or not: address (Host, Origin), health, credential, route. Nothing is awaited on the way
 * to /mcp.
 */
export function createRequestHandler(parts: RequestParts) {
  const { guard, mcp, rest, ready, web, badRequests, log } = parts;
  const reserveFor = createBodyBudget(parts.bodyBudget);

  return function handle(req: IncomingMessage, res: ServerResponse, arrival: Arrival = {}): void {
    setCommonHeaders(res, assignRequestId(req));
    try {
      route(req, res, arrival);
    } catch (cause) {
      fail(req, res, cause);
    }
  };

  function route(req: IncomingMessage, res: ServerResponse, arrival: Arrival): void {
    const path = pathOf(req);
    const isHealth = path === '/healthz' || path === '/readyz';
    guard.checkAddress(req, isHealth && isRead(req));
    if (isHealth) return answerHealth(req, res, path === '/readyz' ? ready() : undefined);
    if (path === '/mcp') return serveMcp(req, res, arrival);
    const atPage = web !== undefined && web(req, res, path);
    if (atPage === false) serveRest(req, res, arrival);
    else if (atPage !== true) void finish(atPage, req, res);
  }

  function serveMcp(req: IncomingMessage, res: ServerResponse, { proceed, seen }: Arrival): void {
    const caller = callerOf(req, res, guard.checkMcpKey(req, seen));
    proceed?.();
    mcp(req, res, caller);
  }

  function serveRest(req: IncomingMessage, res: ServerResponse, { proceed, seen }: Arrival): void {
    const caller = callerOf(req, res, guard.checkKey(req, seen));
    // Reading, checking and recording a call that is certain to be rejected would keep the others waiting.
    const rejection = pathOf(req) === CALL_PATH ? parts.rejection?.(caller) : undefined;
    if (rejection) {
      countRejected(req, caller, 'calls');
      req.resume();
      return sendError(res, rejection, caller.requestId);
    }
    if (caller.until) closeAfterLogout(res, caller.until);
    proceed?.();
    void finish(answerRest(req, res, caller), req, res);
  }

  function callerOf(req: IncomingMessage, res: ServerResponse, identity: Identity): HttpCaller {
    const caller: HttpCaller = {
      ...identity,
      requestId: requestIdOf(req),
      remote: req.socket.remoteAddress ?? '',
      /** The reservation ends at the latest when the response is closed. */
      reserve(bytes) {
        const reservation = reserveFor(clientOf(identity), bytes);
        res.once('close', reservation.release);
        void reservation.granted.then(
          (isGranted) => isGranted || countRejected(req, caller, res.destroyed ? 'left' : 'long'),
        );
        return reservation;
      },
    };
    return caller;
  }

  function countRejected(
    req: IncomingMessage,
    { remote, principal }: HttpCaller,
    of: RejectedRequest['of'],
  ): void {
    parts.rejectedRequests.add({ remote, principal, firstLine: `${req.method} ${req.url}`, of });
  }

  async function answerRest(req: IncomingMessage, res: ServerResponse, caller: HttpCaller): Promise<void> {
    await sendResponse(await rest(asRequest(req, res), caller), res);
  }

  async function finish(answering: Promise<void>, req: IncomingMessage, res: ServerResponse): Promise<void> {
    await answering.catch((cause: unknown) => fail(req, res, cause));
  }

  function fail(req: IncomingMessage, res: ServerResponse, cause: unknown): void {
    // A client that left is not an error of ours.
    const isGone = req.destroyed && !req.complete && !(cause instanceof ProxyError);
    if (isGone) return void res.destroy();
    const error = toProxyError(cause);
    const recorded = recordDenial(badRequests, req, error);
    if (error.code === 'INTERNAL')
      log.error({ err: error.cause, ...requestLogFields(req) }, 'request failed with an internal error');
    if (recorded) void recorded.then(() => answerError(req, res, error));
    else answerError(req, res, error);
  }
}

function answerError(req: IncomingMessage, res: ServerResponse, error: ProxyError): void {
  // Part of the response is sent already; closing the connection tells the client that it is incomplete.
  if (res.headersSent) res.destroy();
  else sendError(res, error, requestIdOf(req));
}

/** How long the streams of a web session may take to end after the log-out. */
const LOG_OUT_MS = 1_000;

function closeAfterLogout(res: ServerResponse, until: AbortSignal): void {
  const close = () => setTimeout(() => res.writableFinished || res.destroy(), LOG_OUT_MS).unref();
  until.addEventListener('abort', close, { once: true });
  res.once('close', () => until.removeEventListener('abort', close));
}

function asRequest(req: IncomingMessage, res: ServerResponse): Request {
  try {
    return toRequest(req, res);
  } catch (cause) {
    throw new ProxyError(
      'INVALID_REQUEST',
      'The method, address or a header of the request is invalid',
    ).withCause(cause);
  }
}

const isRead = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD';

function answerHealth(req: IncomingMessage, res: ServerResponse, readiness?: Readiness): void {
  if (!isRead(req)) {
    throw new ProxyError('METHOD_NOT_ALLOWED', `${pathOf(req)} takes GET and HEAD only`, {
      allow: ['GET', 'HEAD'],
    });
  }
  if (readiness === undefined) return sendJson(res, 200, { status: 'ok' });
  sendJson(res, readiness.ready ? 200 : 503, {
    status: readiness.ready ? 'ready' : NOT_READY[readiness.log],
    servers: readiness.states,
    log: readiness.log,
    ...(readiness.log === 'rolled_back' && { reason: ROLLED_BACK }),
  });
}

const NOT_READY = { ok: 'starting', unavailable: 'unavailable', rolled_back: 'degraded' } as const;
const ROLLED_BACK =
  'The activity log does not agree with its last checkpoint, so entries may be missing. Run "mcpproxy activity verify"; if a back-up was restored, run "mcpproxy activity accept-restore"';
