import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { BadRequests } from '../activity/bad-requests.ts';
import type { TurnedAway, UnheardRequest } from '../activity/turned-away.ts';
import { API_PREFIX } from '../contract/api.ts';
import { toolRoutes } from '../contract/tool-routes.ts';
import type { Identity } from '../contract/caller.ts';
import { ProxyError, toProxyError } from '../contract/errors.ts';
import type { Log } from '../lib/log.ts';
import { createLongRoom, type AskRoom, type RoomSizes } from '../lib/long-room.ts';
import { isLoopback } from './allowed-hosts.ts';
import { sendError, sendJson, setCommonHeaders } from './answer.ts';
import { sendResponse, toRequest } from './bridge.ts';
import { createDoorFirst } from './door-first.ts';
import { capConnections } from './connection-cap.ts';
import { answerClientError } from './client-error.ts';
import { pathOf, type Guard } from './guard.ts';
import { recordDenial } from './record-denial.ts';
import { aboutRequest, nameRequest } from './request-id.ts';
import { cutSlowBodies } from './slow-bodies.ts';
import type { WebDoor } from './web-door.ts';

/** Who is behind a request that passed the guard. */
export interface Visitor extends Identity {
  requestId: string;
  /** Address of the far end. */
  remote: string;
}

export interface Readiness {
  ready: boolean;
  /** How many servers are in which state. Shown without a key, so no names. */
  states: Record<string, number>;
  /** Whether the activity log can be written. */
  log: 'ok' | 'unavailable';
}

export interface HttpServerParts {
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
  /** Connections that are served at once. */
  connections: () => number;
  log: Log;
  limits?: Partial<typeof LIMITS>;
  /** How much there may be of long messages. */
  room?: Partial<RoomSizes>;
}

export interface HttpServer {
  /** Resolves once listening. Port 0 takes a free one. */
  listen(host: string, port: number): Promise<{ host: string; port: number; url: string }>;
  /** Stops accepting at once, lets requests in flight finish, and cuts what is left at the deadline. */
  close(deadlineMs?: number): Promise<void>;
}

const LIMITS = {
  headersTimeout: 6_000,
  requestTimeout: 60_000,
  bodyTimeout: 6_000,
  bodyRate: 2_048,
  keepAliveTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 16_384,
  /** Beyond it connections are refused unheard. */
  maxConnections: 32_768,
};
/** How many connections the system keeps until we take them; whoever comes when it is full tries again after a second. */
const BACKLOG = 4_096;
const CALL_PATH = `${API_PREFIX}${toolRoutes.callTool.path}`;
const DRAIN_MS = 20_000;
const TALLY_MS = 10_000;
const TOO_SLOW = Object.assign(new Error('the body came too slowly'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });

export function createHttpServer(parts: HttpServerParts): HttpServer {
  const limits = { ...LIMITS, ...parts.limits };
  const { maxConnections, ...options } = limits;
  // A missing Host is refused by the guard like every other, with a body that says so.
  const server = createServer({ ...options, requireHostHeader: false, noDelay: false });
  server.maxConnections = maxConnections;
  const door = createDoorFirst();
  const cap = capConnections(server, parts.connections, (request) => {
    door.left();
    parts.turnedAway.add(request);
  });
  server.on('connection', () => door.came());
  const bodies = cutSlowBodies(limits, (req, res) => {
    if (res.headersSent) req.socket.destroy();
    else server.emit('clientError', TOO_SLOW, req.socket);
  });
  const handle = createRequestHandler(parts);
  const take: typeof handle = (req, res, proceed) => {
    bodies.watch(req, res);
    if (!cap.turnsAway(req, res)) door.begin(req.socket, () => res.destroyed || handle(req, res, proceed));
  };
  server.on('request', (req, res) => take(req, res));
  server.on('checkContinue', (req, res) => take(req, res, () => res.writeContinue()));
  server.on('checkExpectation', (req, res) => take(req, res));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const of = answerClientError(error, socket);
    const remote = socket.remoteAddress ?? '';
    if (of && socket.bytesRead > 0) parts.turnedAway.add({ remote, firstLine: '', of });
  });
  const tally = setInterval(() => parts.badRequests.flush(), TALLY_MS).unref();
  server.on('drop', () => parts.log.warn({ maxConnections }, 'too many connections; one was refused'));

  return {
    async listen(host, port) {
      if (!isLoopback(host) && !parts.guard.requireMcpAuth()) {
        throw new ProxyError(
          'CONFIG_INVALID',
          `Refusing to listen on ${host} without authentication: use 127.0.0.1, or remove require_mcp_auth=false`,
          { host },
        );
      }
      const bare = host.replace(/^\[|\]$/g, '');
      await new Promise<void>((resolve, reject) => {
        server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, `${host}:${port}`)));
        server.listen({ port, host: bare, backlog: BACKLOG }, resolve);
      });
      server.on('error', (error) => parts.log.error({ err: error }, 'http server'));
      const actual = (server.address() as AddressInfo).port;
      return { host, port: actual, url: `http://${host}:${actual}` };
    },

    close(deadlineMs = DRAIN_MS) {
      return new Promise((resolve) => {
        // Connections that finish their request are closed as they fall idle; the rest is cut at the deadline.
        const sweep = setInterval(() => server.closeIdleConnections(), 50);
        const cut = setTimeout(() => server.closeAllConnections(), deadlineMs);
        cap.closeUnused();
        server.close(() => {
          clearInterval(sweep);
          clearTimeout(cut);
          clearInterval(tally);
          bodies.stop();
          parts.badRequests.flush(true);
          parts.turnedAway.flush();
          resolve();
        });
      });
    },
  };
}

/**
 * The order is the same on every path, known or not: who is addressed (Host, Origin), health, whose key, where to. Nothing is awaited on
 * the way to /mcp.
 */
function createRequestHandler(parts: HttpServerParts) {
  const { guard, mcp, rest, ready, web, badRequests, log } = parts;
  const askRoom = createLongRoom(parts.room);
  return function handle(req: IncomingMessage, res: ServerResponse, proceed?: () => void): void {
    const requestId = nameRequest(req);
    setCommonHeaders(res, requestId);
    try {
      guard.checkAddress(req);
      const path = pathOf(req);
      if (path === '/healthz' || path === '/readyz')
        return answerHealth(req, res, path === '/readyz' ? ready() : undefined);
      const isMcp = path === '/mcp';
      const atPage = !isMcp && web !== undefined && web(req, res, path);
      if (atPage) return atPage === true ? undefined : void finish(atPage, req, res, requestId);
      const identity = isMcp ? guard.checkMcpKey(req) : guard.checkKey(req);
      const visitor: Visitor = { ...identity, requestId, remote: req.socket.remoteAddress ?? '' };
      const unheard = path === CALL_PATH ? parts.refusal?.(visitor) : undefined;
      if (unheard) return turnAway(req, res, visitor, unheard);
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
      void place.ready.then((isIn) => isIn || res.destroyed || count(req, visitor, 'long'));
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
    const error = toProxyError(cause);
    recordDenial(badRequests, req, error, requestId);
    if (error.code === 'INTERNAL')
      log.error({ err: error.cause, ...aboutRequest(req) }, 'request failed inside');
    // Half an answer cannot be taken back; cutting the connection tells the client that it is not whole.
    if (res.headersSent) res.destroy();
    else sendError(res, error, requestId);
  }
}

function asRequest(req: IncomingMessage, res: ServerResponse): Request {
  try {
    return toRequest(req, res);
  } catch (cause) {
    throw new ProxyError(
      'INVALID_REQUEST',
      'The request has a method, address or header that cannot be understood',
      {},
      { cause },
    );
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

function listenError(error: NodeJS.ErrnoException, address: string): ProxyError {
  if (error.code === 'EADDRINUSE') {
    return new ProxyError(
      'PORT_IN_USE',
      `Another program listens on ${address}: stop it, or choose another address with --listen HOST:PORT`,
      { address },
      { cause: error },
    );
  }
  return new ProxyError(
    'CONFIG_INVALID',
    `Cannot listen on ${address} (${error.code ?? error.message}): choose another address with --listen HOST:PORT`,
    { address },
    { cause: error },
  );
}
