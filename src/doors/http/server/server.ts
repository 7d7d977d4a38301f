import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { ProxyError } from '../../../contract/errors.ts';
import { isLoopback } from '../guard/allowed-hosts.ts';
import { createAcceptScheduler } from './accept-scheduler.ts';
import { capConnections } from './connection-cap.ts';
import { createRequestHandler, type RequestParts } from './handle-request.ts';
import { createForward, listenInside, takeConnections, type WorkerPort } from './forward.ts';
import { withoutPath } from './public-place.ts';
import { answerClientError, closeAfterBody, DISPLACED } from './socket-errors.ts';
import { TurnoverSet } from '../../../load/index.ts';

export interface HttpServerParts extends RequestParts {
  /** Connections that are served at the same time. */
  connections: () => number;
  limits?: Partial<typeof LIMITS>;
  /** Of several workers on one port: the others pass on to the first one what is not MCP. */
  worker?: WorkerPort | undefined;
}

export interface HttpServer {
  /** Resolves once listening. Port 0 takes a free one. */
  listen(host: string, port: number): Promise<{ host: string; port: number; url: string }>;
  /**
   * Answers requests that are on their way, then stops accepting, lets requests in flight finish, and closes the remaining connections at
   * the deadline.
   */
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
  /** Beyond it connections are closed without an answer. */
  maxConnections: 32_768,
};
/** How many connections the system queues until we accept them; when it is full, clients retry after a second. */
const BACKLOG = 4_096;
const LOG_IN = /^\/web\//;
const DRAIN_MS = 20_000;
/** How long a stop waits for the request of a connection that was just made. */
const ARRIVAL_MS = 1_000;
/** How long a stop waits until no connection has arrived for a moment: one that the system holds is reset when the server closes. */
const CALM_MS = 100;
const ARRIVAL_STEP_MS = 20;
const FLUSH_MS = 10_000;
const TOO_SLOW = Object.assign(new Error('the body arrived too slowly'), {
  code: 'ERR_HTTP_REQUEST_TIMEOUT',
});
const TOO_MANY = Object.assign(new Error('too many requests without a key'), { code: DISPLACED });

export function createHttpServer(parts: HttpServerParts): HttpServer {
  const limits = { ...LIMITS, ...parts.limits };
  const { maxConnections, ...options } = limits;
  // The guard rejects a missing Host, with a body that says so.
  const server = createServer({ ...options, requireHostHeader: false, noDelay: false });
  server.maxConnections = maxConnections;
  const scheduler = createAcceptScheduler();
  const cap = capConnections(server, parts.connections, {
    onRejected(request) {
      scheduler.rejected();
      parts.rejectedRequests.add(request);
    },
    onDisplaced: (socket) => void server.emit('clientError', TOO_MANY, socket),
  });
  let lastConnection = -Infinity;
  server.on('connection', () => {
    lastConnection = performance.now();
    scheduler.accepted();
  });
  const bodies = closeSlowBodies(limits, (req, res) => {
    if (res.headersSent) req.socket.destroy();
    else server.emit('clientError', TOO_SLOW, req.socket);
  });
  /** Connections that were answered with an error, and so are counted already. */
  const answered = new WeakSet<Socket>();
  const { worker } = parts;
  const handle = createRequestHandler({
    ...parts,
    ...(worker && !worker.isFirst && { forward: createForward(worker.path) }),
  });
  let inside: { close(): void } | undefined;
  function receive(req: IncomingMessage, res: ServerResponse, proceed?: () => void): void {
    const place = parts.publicPlace?.();
    if (place) req.url = withoutPath(req.url ?? '', place);
    // A log-in has no key yet, whatever else a browser sends.
    let seen = LOG_IN.test(req.url ?? '') ? undefined : parts.guard.peek(req);
    bodies.watch(req, res, seen === undefined);
    if (!res.shouldKeepAlive) closeAfterBody(req);
    // It was told that nothing was done.
    if (cap.isStopped(req.socket)) return void req.resume();
    if (cap.rejectExcess(req, res, seen)) return;
    scheduler.schedule(req.socket, () => start(req, res, { proceed, seen }));
    // Where it starts later the key is checked again, as it may have been revoked meanwhile.
    seen = undefined;
  }
  const start: typeof handle = (req, res, arrival) => {
    if (!res.destroyed) return handle(req, res, arrival);
    // A page that reads and leaves was not refused anything.
    if (answered.has(req.socket) || req.method === 'GET' || req.method === 'HEAD') return;
    const address = req.socket.remoteAddress ?? '';
    parts.rejectedRequests.add({ address, firstLine: `${req.method} ${req.url}`, of: 'left' });
  };
  server.on('request', (req, res) => receive(req, res));
  server.on('checkContinue', (req, res) => receive(req, res, () => res.writeContinue()));
  server.on('checkExpectation', (req, res) => receive(req, res));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const of = answerClientError(error, socket);
    if (of) answered.add(socket);
    const address = socket.remoteAddress ?? '';
    if (of && socket.bytesRead > 0) parts.rejectedRequests.add({ address, firstLine: '', of });
  });
  const flushTimer = setInterval(() => parts.badRequests.flush(), FLUSH_MS).unref();
  server.on('drop', () =>
    parts.log.warn({ maxConnections }, 'too many connections; one was closed without an answer'),
  );

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
      if (worker) {
        await takeConnections(server, worker);
        if (worker.isFirst) inside = await listenInside(worker.path, handle);
        return { host, port, url: worker.url };
      }
      await new Promise<void>((resolve, reject) => {
        server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, `${host}:${port}`)));
        server.listen({ port, host: bare, backlog: BACKLOG }, resolve);
      });
      server.on('error', (error) => parts.log.error({ err: error }, 'http server'));
      const actual = (server.address() as AddressInfo).port;
      return { host, port: actual, url: `http://${host}:${actual}` };
    },

    async close(deadlineMs = DRAIN_MS) {
      const deadline = setTimeout(() => server.closeAllConnections(), deadlineMs);
      // A client whose connection was closed before its request was read could not know that nothing was done.
      const since = performance.now();
      const patience = Math.min(ARRIVAL_MS, deadlineMs);
      const isCalm = () => performance.now() - lastConnection > CALM_MS;
      do {
        await pause(ARRIVAL_STEP_MS);
        // Accepts what arrived while this process had no processor time.
        await nextTurn();
      } while ((cap.hasNew(patience) || !isCalm()) && performance.now() - since < patience);
      await new Promise<void>((resolve) => {
        // Connections are closed as they become idle; the rest at the deadline.
        const closeIdle = setInterval(() => server.closeIdleConnections(), 50);
        cap.closeUnused();
        inside?.close();
        server.close(() => {
          clearInterval(closeIdle);
          clearTimeout(deadline);
          clearInterval(flushTimer);
          bodies.stop();
          parts.badRequests.flush(true);
          parts.rejectedRequests.flush();
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

interface BodyLimits {
  /** How long any body may take. */
  bodyTimeout: number;
  /** The limit for a request without a key, however large. */
  keylessBodyTimeout: number;
  /** A body may take longer only if it arrives at this rate, in bytes per second. */
  bodyRate: number;
  /** How often bodies are checked. */
  connectionsCheckingInterval: number;
}

interface Arriving {
  req: IncomingMessage;
  res: ServerResponse;
  since: number;
  bytesBefore: number;
  isKeyless: boolean;
}

interface SlowBodies {
  watch(req: IncomingMessage, res: ServerResponse, isKeyless: boolean): void;
  stop(): void;
}

/**
 * Closes bodies that arrive too slowly. Node has one time-out for the whole request; one that is long enough for a large body would let
 * a client that sends a byte now and then use a connection for as long.
 */
function closeSlowBodies(
  { bodyTimeout, keylessBodyTimeout, bodyRate, connectionsCheckingInterval: interval }: BodyLimits,
  close: (req: IncomingMessage, res: ServerResponse) => void,
): SlowBodies {
  const arriving = new TurnoverSet<Arriving>();
  let checkedAt = performance.now();

  function isLate({ req, since, bytesBefore, isKeyless }: Arriving, now: number): boolean {
    if (isKeyless) return now > since + keylessBodyTimeout;
    const bytes = req.socket.bytesRead - bytesBefore;
    // Paused means that we do not read.
    return now > since + bodyTimeout + (1000 * bytes) / bodyRate && !req.isPaused();
  }

  function check(): void {
    const now = performance.now();
    // While our own process was blocked nothing could arrive.
    const blocked = Math.max(0, now - checkedAt - interval);
    checkedAt = now;
    for (const body of arriving) {
      body.since += blocked;
      if (body.req.complete) arriving.delete(body);
      else if (isLate(body, now)) {
        arriving.delete(body);
        close(body.req, body.res);
      }
    }
  }

  const timer = setInterval(check, interval).unref();
  return {
    watch(req, res, isKeyless) {
      if (req.headers['content-length'] === undefined && req.headers['transfer-encoding'] === undefined)
        return;
      const body = { req, res, since: performance.now(), bytesBefore: req.socket.bytesRead, isKeyless };
      arriving.add(body);
      req.once('close', () => arriving.delete(body));
    },
    stop: () => clearInterval(timer),
  };
}
