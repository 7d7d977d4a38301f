import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { RejectedRequest } from '../../../log/index.ts';
import type { Identity } from '../../../contract/call.ts';
import type { ProxyError } from '../../../contract/errors.ts';
import { hasFairShare } from '../../../load/index.ts';
import { requestIdOf, sendError, setCommonHeaders } from '../answer.ts';
import {
  answerStopping,
  closeAfterBody,
  rejectConnection,
  tooManyConnections,
  tooManyOfClient,
} from './socket-errors.ts';

export interface ConnectionCap {
  /** True: the request was over the limit of all clients or of this one, and was answered with 429. No identity: it has no valid key. */
  rejectExcess(req: IncomingMessage, res: ServerResponse, identity: Identity | undefined): boolean;
  /** Whether a connection that is younger than that has not sent its request yet. */
  hasNew(ageMs: number): boolean;
  /** Answers connections that never sent a request: Node counts them as busy, which would delay closing. */
  closeUnused(): void;
  /** Whether a connection was answered so. */
  isStopped(socket: Socket): boolean;
}

export interface CapEvents {
  onRejected: (request: RejectedRequest) => void;
  /** A request without a key is displaced by others. */
  onDisplaced: (socket: Socket) => void;
}

interface Use {
  /** Requests in progress; one connection may have several. */
  requests: number;
  /** Whether the last of them had a valid key. */
  hasKey: boolean;
  last: ServerResponse | undefined;
  share: Share | undefined;
}

/** How many connections one client uses. */
interface Share {
  readonly client: string;
  connections: number;
}

interface Rejection {
  error: ProxyError;
  of: 'connections' | 'client';
}

/** A client sends its request soon after it connects, but its machine may be as busy as ours. */
const PATIENCE_MS = 6_000;
/** A connection without a request for so long counts as idle. */
const IDLE_MS = 1_000;
/** One in so many connections is not for agents, whose calls may wait for long: the operator needs it to decide about or stop them. */
const RESERVED_FOR_OPERATOR = 8;

/** One in so many connections may be used by requests without a key. */
const KEYLESS_SHARE = 8;

/**
 * Serves up to `limit` connections; excess requests are rejected immediately, with a time to retry. Connections without a request do not
 * count, and the oldest of them is closed when there are too many in all; idle keep-alive connections are closed likewise. Requests
 * without a key are displaced by those with one, and no client gets so many that none is left for another.
 */
export function capConnections(
  server: Server,
  limit: () => number,
  { onRejected, onDisplaced }: CapEvents,
): ConnectionCap {
  const open = new Set<Socket>();
  /** With the time of their connection, oldest first. */
  const unused = new Map<Socket, number>();
  /** With the time of their last answer, oldest first. */
  const idle = new Map<Socket, number>();
  /** Those of them whose last request had no valid key: they are closed first, however short they were idle. */
  const idleKeyless = new Set<Socket>();
  const uses = new WeakMap<Socket, Use>();
  const shares = new Map<string, Share>();
  /** Connections of all shares. */
  let shared = 0;
  const keyless = createKeylessRequests(
    () => Math.max(1, Math.floor(limit() / KEYLESS_SHARE)),
    (socket) => {
      forget(socket);
      // A response that has begun cannot be replaced by an error.
      if (uses.get(socket)?.last?.headersSent) socket.destroy();
      else onDisplaced(socket);
    },
  );
  /** Connections that are only answered with 429. */
  const rejected = new Set<Socket>();
  const stopped = new WeakSet<Socket>();
  const isFull = () => open.size - unused.size >= limit();
  // Node's own listeners serve a connection; they are called only within the limit.
  const serve = server.listeners('connection') as Array<(socket: Socket) => void>;
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    if (isFull() && !closeIdle() && !keyless.closeOldest()) return reject(socket);
    open.add(socket);
    if (open.size > limit()) destroyOldest(unused);
    unused.set(socket, performance.now());
    socket.once('close', () => {
      forget(socket);
      keyless.delete(socket);
    });
    socket.setNoDelay(true);
    for (const listener of serve) listener.call(server, socket);
  });

  function reject(socket: Socket): void {
    rejected.add(socket);
    socket.once('close', () => rejected.delete(socket));
    const onRequest = (firstLine: string) =>
      onRejected({ address: socket.remoteAddress ?? '', firstLine, of: 'connections' });
    rejectConnection(socket, { connections: limit(), patienceMs: PATIENCE_MS, onRequest });
  }

  function forget(socket: Socket): void {
    for (const sockets of [open, unused, idle, idleKeyless]) sockets.delete(socket);
  }

  /** The idle connection to close first: one without a key, else the one that was idle for longest. */
  function longestIdle(): Socket | undefined {
    for (const socket of idleKeyless) return socket;
    for (const [socket, since] of idle) return performance.now() - since > IDLE_MS ? socket : undefined;
    return undefined;
  }

  /** True: an idle connection is closed, unless it sends a request before the end of this turn. */
  function closeIdle(): boolean {
    const socket = longestIdle();
    if (!socket) return false;
    forget(socket);
    setImmediate(() => uses.get(socket)?.requests || socket.destroy());
    return true;
  }

  /** A connection is in use until its response is sent; it may have several requests in progress. */
  function begin({ socket }: IncomingMessage, res: ServerResponse, hasKey: boolean): void {
    open.add(socket);
    unused.delete(socket);
    idle.delete(socket);
    idleKeyless.delete(socket);
    const use = useOf(socket);
    use.requests++;
    use.hasKey = hasKey;
    use.last = res;
    res.once('close', () => {
      if (--use.requests > 0) return;
      use.last = undefined;
      keyless.delete(socket);
      setShare(use, undefined);
      if (socket.destroyed || !open.has(socket)) return;
      idle.set(socket, performance.now());
      if (!use.hasKey) idleKeyless.add(socket);
    });
    if (hasKey) keyless.delete(socket);
    else keyless.add(socket);
  }

  function useOf(socket: Socket): Use {
    let use = uses.get(socket);
    if (!use) uses.set(socket, (use = { requests: 0, hasKey: false, last: undefined, share: undefined }));
    return use;
  }

  function setShare(use: Use, share: Share | undefined): void {
    const before = use.share;
    use.share = share;
    shared += (share ? 1 : 0) - (before ? 1 : 0);
    if (share) share.connections++;
    if (before && --before.connections === 0) shares.delete(before.client);
  }

  /** How many connections agents may use. */
  function agentLimit(): number {
    const connections = limit();
    return connections - Math.ceil(connections / RESERVED_FOR_OPERATOR);
  }

  /** Makes room where it can: idle connections are closed, and a request with a key displaces those without. */
  function hasRoom({ url = '' }: IncomingMessage, hasKey: boolean): boolean {
    const displacesKeyless = () => hasKey && keyless.closeOldest();
    while (open.size - unused.size > limit()) if (!closeIdle() && !displacesKeyless()) return false;
    if (!AGENTS.test(url)) return true;
    while (open.size - unused.size - idle.size > agentLimit()) if (!displacesKeyless()) return false;
    return true;
  }

  /** Counts the connection for this client; false: the client has too many. */
  function takeShare(use: Use, client: string): boolean {
    if (use.share?.client === client) return true;
    const share = shares.get(client) ?? { client, connections: 0 };
    if (!hasFairShare(share.connections, shared, agentLimit())) return false;
    shares.set(client, share);
    setShare(use, share);
    return true;
  }

  function rejectionFor(req: IncomingMessage, identity: Identity | undefined): Rejection | undefined {
    const client = identity && agentOf(identity);
    if (client !== undefined && !takeShare(useOf(req.socket), client))
      return { error: tooManyOfClient(shares.get(client)?.connections ?? 0), of: 'client' };
    if (hasRoom(req, identity !== undefined)) return undefined;
    return { error: tooManyConnections(limit()), of: 'connections' };
  }

  return {
    rejectExcess(req, res, identity) {
      begin(req, res, identity !== undefined);
      const rejection = rejectionFor(req, identity);
      if (!rejection) return false;
      const requestId = requestIdOf(req);
      const firstLine = `${req.method} ${req.url}`;
      const address = req.socket.remoteAddress ?? '';
      // The caller is recorded only where it caused the rejection; all others are only counted.
      const principal = rejection.of === 'client' ? identity!.principal : undefined;
      onRejected({ address, firstLine, of: rejection.of, ...(principal && { principal }) });
      setCommonHeaders(res, requestId);
      res.setHeader('connection', 'close');
      closeAfterBody(req);
      req.resume();
      sendError(res, rejection.error, requestId);
      return true;
    },
    hasNew: (ageMs) => [...unused.values()].some((since) => performance.now() - since < ageMs),
    isStopped: (socket) => stopped.has(socket),
    closeUnused() {
      for (const socket of unused.keys()) {
        stopped.add(socket);
        answerStopping(socket);
      }
      for (const socket of rejected) socket.destroy();
    },
  };
}

/** The client whose share of the connections a request uses; the operator has no such limit. */
const agentOf = ({ token, principal }: Identity): string | undefined =>
  token?.id ?? (principal === 'operator' ? undefined : principal);

const AGENTS = /^\/mcp(\?|$)/;

/** After our own process was blocked its request may have arrived and not be read yet: that happens before the end of this turn. */
function destroyOldest(sockets: Map<Socket, number>): void {
  for (const [socket, since] of sockets) {
    if (performance.now() - since > PATIENCE_MS)
      setImmediate(() => void (sockets.has(socket) && socket.destroy()));
    return;
  }
}

interface KeylessRequests {
  /** Adds its request; where there are too many, the oldest is closed. */
  add(socket: Socket): void;
  /** Its request is answered, or the connection has sent a key. */
  delete(socket: Socket): void;
  /** False: there is none. */
  closeOldest(): boolean;
}

/**
 * Connections whose request has no valid key and is not answered yet. Their number is small, and the oldest is closed for another one
 * without a key as well as for a request with one, so that nobody without a key keeps others out.
 */
function createKeylessRequests(limit: () => number, close: (socket: Socket) => void): KeylessRequests {
  /** Oldest first. */
  const open = new Set<Socket>();

  function closeOldest(): boolean {
    for (const socket of open) {
      open.delete(socket);
      close(socket);
      return true;
    }
    return false;
  }

  return {
    add(socket) {
      open.add(socket);
      while (open.size > limit()) closeOldest();
    },
    delete: (socket) => void open.delete(socket),
    closeOldest,
  };
}
