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

/**
 * Up to `limit` connections that ask are served; beyond it a request is answered at once, with a word when to come back. Who connects and
 * asks nothing keeps nobody out: it does not count, and when there are too many of all, the oldest of these makes room.
 */
export function capConnections(
  server: Server,
  limit: () => number,
  onTurnedAway: (request: UnheardRequest) => void,
): ConnectionCap {
  /** With the time when they came, oldest first. */
  const unused = new Map<Socket, number>();
  /** Those that are told to come back, and nothing else. */
  const leaving = new Set<Socket>();
  let open = 0;
  const isFull = () => open - unused.size >= limit();
  // Node's own way to serve a connection: begun only for those that there is room for.
  const serve = server.listeners('connection') as Array<(socket: Socket) => void>;
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    if (isFull()) return leave(socket);
    open++;
    if (open > limit()) destroyOldest(unused);
    unused.set(socket, performance.now());
    socket.once('close', () => {
      open--;
      unused.delete(socket);
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

  return {
    turnsAway(req, res) {
      unused.delete(req.socket);
      const connections = limit();
      if (open - unused.size <= connections) return false;
      const requestId = requestIdOf(req.headers['x-request-id']);
      const firstLine = `${req.method} ${req.url}`;
      onTurnedAway({ remote: req.socket.remoteAddress ?? '', firstLine, of: 'connections' });
      setCommonHeaders(res, requestId);
      res.setHeader('connection', 'close');
      // A body that is left unread makes the system reset the connection, and the answer with it.
      req.resume();
      sendError(res, tooManyConnections(connections), requestId);
      return true;
    },
    closeUnused() {
      for (const socket of [...unused.keys(), ...leaving]) socket.destroy();
    },
  };
}

/** Where we stood still ourselves its request may be there and not read yet: that happens before the end of this turn. */
function destroyOldest(sockets: Map<Socket, number>): void {
  for (const [socket, since] of sockets) {
    if (performance.now() - since > PATIENCE_MS)
      setImmediate(() => void (sockets.has(socket) && socket.destroy()));
    return;
  }
}
