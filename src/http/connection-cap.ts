import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { UnheardRequest } from '../activity/turned-away.ts';
import { sendError, setCommonHeaders } from './answer.ts';
import { requestIdOf } from './request-id.ts';
import { tooManyConnections, turnAway } from './turn-away.ts';

export interface ConnectionCap {
  /** True: there are too many connections, and the request was answered with that. */
  turnsAway(req: IncomingMessage, res: ServerResponse): boolean;
  /** Connections that never sent a request count as busy in node, and would hold up closing. */
  closeUnused(): void;
}

/** Whoever connects asks within moments, but its machine may be as busy as ours. */
const PATIENCE_MS = 6_000;
/** Who has asked nothing for so long is not about to. */
const IDLE_MS = 1_000;
/** One in so many is not for agents, whose calls may wait for long: the operator must get in, to decide about them or to stop them. */
const KEPT_FREE = 8;

/**
 * Up to `limit` connections that ask are served; beyond it a request is answered at once, with a word when to come back. Who connects and
 * asks nothing keeps nobody out: it does not count, and when there are too many of all, the oldest of these makes room. Nor does who has
 * asked before and only keeps its connection.
 */
export function capConnections(
  server: Server,
  limit: () => number,
  onTurnedAway: (request: UnheardRequest) => void,
): ConnectionCap {
  const open = new Set<Socket>();
  /** With the time when they came, oldest first. */
  const unused = new Map<Socket, number>();
  /** With the time of their last answer, oldest first. */
  const idle = new Map<Socket, number>();
  const asking = new WeakMap<Socket, number>();
  /** Those that are told to come back, and nothing else. */
  const leaving = new Set<Socket>();
  const isFull = () => open.size - unused.size >= limit();
  // Node's own way to serve a connection: begun only for those that there is room for.
  const serve = server.listeners('connection') as Array<(socket: Socket) => void>;
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    if (isFull() && !endIdle()) return leave(socket);
    open.add(socket);
    if (open.size > limit()) destroyOldest(unused);
    unused.set(socket, performance.now());
    socket.once('close', () => {
      for (const sockets of [open, unused, idle]) sockets.delete(socket);
    });
    socket.setNoDelay(true);
    for (const listener of serve) listener.call(server, socket);
  });

  function leave(socket: Socket): void {
    leaving.add(socket);
    socket.once('close', () => leaving.delete(socket));
    const note = (firstLine: string) =>
      onTurnedAway({ remote: socket.remoteAddress ?? '', firstLine, of: 'connections' });
    turnAway(socket, { connections: limit(), patienceMs: PATIENCE_MS, note });
  }

  /** True: the connection that has rested for longest makes room, unless it asks before the end of this turn. */
  function endIdle(): boolean {
    const [oldest] = idle;
    if (!oldest || performance.now() - oldest[1] <= IDLE_MS) return false;
    const [socket] = oldest;
    idle.delete(socket);
    open.delete(socket);
    setImmediate(() => asking.get(socket) || socket.destroy());
    return true;
  }

  /** Until its answer is out a connection is in use; several requests may be on their way on one. */
  function begin({ socket }: IncomingMessage, res: ServerResponse): void {
    open.add(socket);
    unused.delete(socket);
    idle.delete(socket);
    asking.set(socket, (asking.get(socket) ?? 0) + 1);
    res.once('close', () => {
      const left = asking.get(socket)! - 1;
      asking.set(socket, left);
      if (left === 0 && !socket.destroyed) idle.set(socket, performance.now());
    });
  }

  function hasRoom({ url = '' }: IncomingMessage): boolean {
    const connections = limit();
    if (open.size - unused.size > connections) return false;
    return (
      !AGENTS.test(url) ||
      open.size - unused.size - idle.size <= connections - Math.ceil(connections / KEPT_FREE)
    );
  }

  return {
    turnsAway(req, res) {
      begin(req, res);
      if (hasRoom(req)) return false;
      const requestId = requestIdOf(req.headers['x-request-id']);
      const firstLine = `${req.method} ${req.url}`;
      onTurnedAway({ remote: req.socket.remoteAddress ?? '', firstLine, of: 'connections' });
      setCommonHeaders(res, requestId);
      res.setHeader('connection', 'close');
      // A body that is left unread makes the system reset the connection, and the answer with it.
      req.resume();
      sendError(res, tooManyConnections(limit()), requestId);
      return true;
    },
    closeUnused() {
      for (const socket of [...unused.keys(), ...leaving]) socket.destroy();
    },
  };
}

const AGENTS = /^\/mcp(\?|$)/;

/** Where we stood still ourselves its request may be there and not read yet: that happens before the end of this turn. */
function destroyOldest(sockets: Map<Socket, number>): void {
  for (const [socket, since] of sockets) {
    if (performance.now() - since > PATIENCE_MS)
      setImmediate(() => void (sockets.has(socket) && socket.destroy()));
    return;
  }
}
