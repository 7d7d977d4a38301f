import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { ProxyError } from '../../../contract/errors.ts';
import { isLoopback } from '../guard/allowed-hosts.ts';
import { createDoorFirst } from './door-first.ts';
import { capConnections } from './connection-cap.ts';
import { answerClientError, MADE_ROOM } from './client-error.ts';
import { createRequestHandler, type RequestParts } from './handle-request.ts';
import { cutSlowBodies } from './slow-bodies.ts';

export interface HttpServerParts extends RequestParts {
  /** Connections that are served at once. */
  connections: () => number;
  limits?: Partial<typeof LIMITS>;
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
  keylessBodyTimeout: 3_000,
  bodyRate: 2_048,
  keepAliveTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 16_384,
  /** Beyond it connections are refused unheard. */
  maxConnections: 32_768,
};
/** How many connections the system keeps until we take them; whoever comes when it is full tries again after a second. */
const BACKLOG = 4_096;
const LOG_IN = /^\/web\//;
const DRAIN_MS = 20_000;
const TALLY_MS = 10_000;
const TOO_SLOW = Object.assign(new Error('the body came too slowly'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
const TOO_MANY = Object.assign(new Error('too many requests without a key'), { code: MADE_ROOM });

export function createHttpServer(parts: HttpServerParts): HttpServer {
  const limits = { ...LIMITS, ...parts.limits };
  const { maxConnections, ...options } = limits;
  // A missing Host is refused by the guard like every other, with a body that says so.
  const server = createServer({ ...options, requireHostHeader: false, noDelay: false });
  server.maxConnections = maxConnections;
  const door = createDoorFirst();
  const cap = capConnections(server, parts.connections, {
    onTurnedAway(request) {
      door.left();
      parts.turnedAway.add(request);
    },
    onClosed: (socket) => void server.emit('clientError', TOO_MANY, socket),
  });
  server.on('connection', () => door.came());
  const bodies = cutSlowBodies(limits, (req, res) => {
    if (res.headersSent) req.socket.destroy();
    else server.emit('clientError', TOO_SLOW, req.socket);
  });
  /** Connections that were told what was wrong, and so are counted. */
  const told = new WeakSet<Socket>();
  const handle = createRequestHandler(parts);
  function take(req: IncomingMessage, res: ServerResponse, proceed?: () => void): void {
    // Who logs in has shown no key yet, whatever else a browser sends.
    let seen = LOG_IN.test(req.url ?? '') ? undefined : parts.guard.peek(req);
    bodies.watch(req, res, seen === undefined);
    if (cap.turnsAway(req, res, seen)) return;
    door.begin(req.socket, () => start(req, res, { proceed, seen }));
    // Begun later, it is looked at again: the key may have ended meanwhile.
    seen = undefined;
  }
  const start: typeof handle = (req, res, more) => {
    if (!res.destroyed) return handle(req, res, more);
    if (told.has(req.socket)) return;
    const remote = req.socket.remoteAddress ?? '';
    parts.turnedAway.add({ remote, firstLine: `${req.method} ${req.url}`, of: 'left' });
  };
  server.on('request', (req, res) => take(req, res));
  server.on('checkContinue', (req, res) => take(req, res, () => res.writeContinue()));
  server.on('checkExpectation', (req, res) => take(req, res));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const of = answerClientError(error, socket);
    if (of) told.add(socket);
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

function listenError(error: NodeJS.ErrnoException, address: string): ProxyError {
  if (error.code === 'EADDRINUSE') {
    return new ProxyError(
      'PORT_IN_USE',
      `Another program listens on ${address}: stop it, or choose another address with --listen HOST:PORT`,
      { address },
    ).withCause(error);
  }
  return new ProxyError(
    'CONFIG_INVALID',
    `Cannot listen on ${address} (${error.code ?? error.message}): choose another address with --listen HOST:PORT`,
    { address },
  ).withCause(error);
}
