import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Identity } from '../../../contract/call.ts';
import { ProxyError, toProxyError } from '../../../contract/errors.ts';
import { API_PREFIX, routes } from '../../../contract/routes/api.ts';
import { merge } from '../../../json/index.ts';
import type { Log } from '../../../lib/log.ts';
import {
  clientOf,
  createBodyBudget,
  type BodyBudgetLimits,
  type ClientShares,
  type ReserveBody,
  type UsedUp,
} from '../../../load/index.ts';
import type { BadRequests, RejectedRequests, RejectedRequest } from '../../../log/index.ts';
import {
  assignRequestId,
  errorHeaders,
  requestIdOf,
  requestLogFields,
  sendError,
  sendJson,
  setCommonHeaders,
} from '../answer.ts';
import { sendResponse, toRequest, wholeTextOf } from '../bridge.ts';
import { compressed } from '../compress.ts';
import { isMcpPath, pathOf, type Authenticated, type Guard } from '../guard/guard.ts';
import { recordDenial } from '../guard/record-denial.ts';
import { isPathAlone, type PublicPlace } from './public-place.ts';
import type { Forward } from './forward.ts';
import type { WebDoor } from './web-door.ts';

/** The authenticated sender of a request, and what belongs to this request alone. */
export interface HttpCaller extends Identity {
  requestId: string;
  /** Address of the client. */
  address: string;
  /** Aborted when the web session that sent the request is logged out. */
  until?: AbortSignal;
  /** The program that the credential belongs to. */
  via?: Authenticated['via'];
  /** Reserves room for a long body. */
  reserve: ReserveBody;
  /** The body held so many messages beside the first. */
  addRequests: (count: number) => void;
}

export interface Readiness {
  ready: boolean;
  /** The number of servers per state. Shown without a key, so without names. */
  states: Record<string, number>;
  /** Whether the activity log can be written, and whether it has all its entries. */
  log: 'ok' | 'unavailable' | 'rolled_back';
  /** The process ends soon: a load balancer sends it nothing new. */
  stopping?: boolean;
}

export interface RequestParts {
  guard: Guard;
  mcp: (req: IncomingMessage, res: ServerResponse, caller: HttpCaller) => void;
  rest: (request: Request, caller: HttpCaller) => Promise<Response>;
  ready: () => Readiness;
  /** Where the proxy is reached through a reverse proxy; undefined: nothing is configured. */
  publicPlace?: () => PublicPlace | undefined;
  web?: WebDoor;
  /** Records requests with a wrong credential. */
  badRequests: BadRequests;
  /** Counts requests that are rejected before they are read. */
  rejectedRequests: RejectedRequests;
  /** The error that a call of this caller would certainly end with; asked before its body is read. */
  rejection?: (caller: Identity) => ProxyError | undefined;
  /** Absent: clients have no share of requests and of the log. */
  shares?: RequestShares | undefined;
  /** Of several workers: passes everything but MCP and health on to the one that answers it. */
  forward?: Forward;
  log: Log;
  bodyBudget?: Partial<BodyBudgetLimits>;
}

export interface RequestShares {
  clients: ClientShares;
  /** By address, of requests without a valid key. */
  keyless: ClientShares;
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
    if (parts.forward && !isOwn(pathOf(req))) return parts.forward(req, res, arrival.proceed);
    setCommonHeaders(res, assignRequestId(req));
    try {
      if (!isRedirected(req, res)) route(req, res, arrival);
    } catch (cause) {
      fail(req, res, cause);
    }
  };

  /** The public path alone: the files of the page are found relative to what follows its slash. */
  function isRedirected(req: IncomingMessage, res: ServerResponse): boolean {
    const place = parts.publicPlace?.();
    if (!place || !isPathAlone(req.url!, place)) return false;
    guard.checkAddress(req, false);
    res.writeHead(308, { location: `${place.path}/`, 'content-length': 0 }).end();
    return true;
  }

  function route(req: IncomingMessage, res: ServerResponse, arrival: Arrival): void {
    const path = pathOf(req);
    const isHealth = path === '/healthz' || path === '/readyz';
    guard.checkAddress(req, isHealth && isRead(req));
    if (isHealth) return answerHealth(req, res, path === '/readyz' ? ready() : undefined);
    if (isMcpPath(path)) return serveMcp(req, res, arrival);
    // The description of the API is the same for everybody, and part of the documentation.
    if (path === OPENAPI_PATH && isRead(req)) return void finish(describeApi(req, res), req, res);
    const atPage = web !== undefined && web(req, res, path);
    if (atPage === false) serveRest(req, res, arrival);
    else if (atPage !== true) void finish(atPage, req, res);
  }

  function serveMcp(req: IncomingMessage, res: ServerResponse, { proceed, seen }: Arrival): void {
    const caller = callerOf(req, res, guard.checkMcpKey(req, seen));
    const usedUp = usedUpBy(caller, req.method === 'POST');
    if (usedUp) return rejectRequest(req, res, { caller, ...usedUp });
    proceed?.();
    mcp(req, res, caller);
  }

  function serveRest(req: IncomingMessage, res: ServerResponse, { proceed, seen }: Arrival): void {
    const caller = callerOf(req, res, guard.checkKey(req, seen));
    const isCall = pathOf(req) === CALL_PATH;
    const usedUp = usedUpBy(caller, isCall);
    if (usedUp) return rejectRequest(req, res, { caller, ...usedUp });
    // Reading, checking and recording a call that is certain to be rejected would keep the others waiting.
    const rejection = isCall ? parts.rejection?.(caller) : undefined;
    if (rejection) return rejectRequest(req, res, { caller, of: 'calls', error: rejection });
    if (caller.until) closeAfterLogout(res, caller.until);
    proceed?.();
    void finish(answerRest(req, res, caller), req, res);
  }

  /** `isRecorded`: the request will be recorded, whatever is in it. */
  function usedUpBy(caller: HttpCaller, isRecorded: boolean): UsedUp | undefined {
    const clients = parts.shares?.clients;
    if (!clients) return undefined;
    const client = clientOf(caller);
    return clients.takeRequest(client) ?? (isRecorded ? clients.checkLog(client) : undefined);
  }

  /** Rejects a request before its body is read. */
  function rejectRequest(req: IncomingMessage, res: ServerResponse, { caller, of, error }: Rejection): void {
    countRejected(req, caller, of);
    req.resume();
    if (isMcpPath(pathOf(req))) sendRpcError(res, error);
    else sendError(res, error, caller.requestId);
  }

  function callerOf(req: IncomingMessage, res: ServerResponse, identity: Identity): HttpCaller {
    const caller: HttpCaller = merge(identity, {
      requestId: requestIdOf(req),
      address: guard.addressOf(req),
      /** The reservation ends at the latest when the response is closed. */
      reserve(bytes: number) {
        const reservation = reserveFor(clientOf(identity), bytes);
        res.once('close', reservation.release);
        void reservation.granted.then(
          (isGranted) => isGranted || countRejected(req, caller, res.destroyed ? 'left' : 'long'),
        );
        return reservation;
      },
      addRequests: (count: number) => parts.shares?.clients.addRequests(clientOf(identity), count),
    });
    return caller;
  }

  function countRejected(
    req: IncomingMessage,
    { address, principal }: HttpCaller,
    of: RejectedRequest['of'],
  ): void {
    parts.rejectedRequests.add({ address, principal, firstLine: `${req.method} ${req.url}`, of });
  }

  /** Who has no valid key has a share too, by address; so has a token on a route that it may not use, as every attempt is recorded. */
  function limitDenied(req: IncomingMessage, error: ProxyError): ProxyError {
    const address = guard.addressOf(req);
    const { token_id: id, token } = error.details;
    const usedUp =
      typeof id === 'string'
        ? (parts.shares?.clients.takeRequest(id) ?? parts.shares?.clients.checkLog(id))
        : error.code === 'UNAUTHORIZED'
          ? parts.shares?.keyless.takeRequest(address)
          : undefined;
    if (!usedUp) return error;
    const principal = typeof token === 'string' ? { principal: `token:${token}` } : {};
    parts.rejectedRequests.add({
      address,
      ...principal,
      firstLine: `${req.method} ${req.url}`,
      of: usedUp.of,
    });
    return usedUp.error;
  }

  async function describeApi(req: IncomingMessage, res: ServerResponse): Promise<void> {
    await answerRest(req, res, callerOf(req, res, { principal: 'anonymous', userId: 'local' }));
  }

  async function answerRest(req: IncomingMessage, res: ServerResponse, caller: HttpCaller): Promise<void> {
    const response = await rest(asRequest(req, res), caller);
    // The web UI may be open on another machine; commands and scripts on this one gain nothing by it.
    const isCompressed = caller.via === 'web' && /\bgzip\b/.test(req.headers['accept-encoding'] ?? '');
    await sendResponse(isCompressed ? await compressed(response, wholeTextOf(response)) : response, res);
  }

  async function finish(answering: Promise<void>, req: IncomingMessage, res: ServerResponse): Promise<void> {
    await answering.catch((cause: unknown) => fail(req, res, cause));
  }

  function fail(req: IncomingMessage, res: ServerResponse, cause: unknown): void {
    // A client that left is not an error of ours.
    const isGone = req.destroyed && !req.complete && !(cause instanceof ProxyError);
    if (isGone) return void res.destroy();
    const error = limitDenied(req, toProxyError(cause));
    const recorded = recordDenial(badRequests, { req, address: guard.addressOf(req) }, error);
    if (error.code === 'INTERNAL')
      log.error({ err: error.cause, ...requestLogFields(req) }, 'request failed with an internal error');
    if (recorded) void recorded.then(() => answerError(req, res, error));
    else answerError(req, res, error);
  }
}

interface Rejection {
  caller: HttpCaller;
  of: RejectedRequest['of'];
  error: ProxyError;
}

const isOwn = (path: string): boolean => isMcpPath(path) || path === '/healthz' || path === '/readyz';

const RPC_SERVER_ERROR = -32000;
const OPENAPI_PATH = '/openapi.json';

/** The id of the message is not known, because it was not read. */
function sendRpcError(res: ServerResponse, error: ProxyError): void {
  for (const [name, value] of Object.entries(errorHeaders(error))) res.setHeader(name, value);
  const { code, message, details: data, status } = error;
  sendJson(res, status, {
    jsonrpc: '2.0',
    id: null,
    error: { code: RPC_SERVER_ERROR, message, data: { code, ...data } },
  });
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
    status: statusOf(readiness),
    servers: readiness.states,
    log: readiness.log,
    ...(readiness.log === 'rolled_back' && { reason: ROLLED_BACK }),
  });
}

function statusOf({ ready, log, stopping }: Readiness): string {
  if (stopping === true) return 'stopping';
  return ready ? 'ready' : NOT_READY[log];
}

const NOT_READY = { ok: 'starting', unavailable: 'unavailable', rolled_back: 'degraded' } as const;
const ROLLED_BACK =
  'The activity log does not agree with its last checkpoint, so entries may be missing. Run "mcpproxy activity verify"; if a back-up was restored, run "mcpproxy activity accept-restore"';
