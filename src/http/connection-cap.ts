import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { BadRequests } from '../activity/bad-requests.ts';
import { ProxyError } from '../contract/errors.ts';
import { sendError, setCommonHeaders } from './answer.ts';
import { requestIdOf } from './request-id.ts';

export interface ConnectionCap {
  /** True: there are too many connections, and the request was answered with that. */
  turnsAway(req: IncomingMessage, res: ServerResponse): boolean;
  /** Connections that never sent a request count as busy in node, and would hold up closing. */
  closeUnused(): void;
}

/** Whoever connects asks within moments, also where we are slow to read it. */
const PATIENCE_MS = 3_000;

/**
 * Up to `connections` that ask are served; beyond it a request is answered at once, with a word when to come back. Who connects and asks
 * nothing keeps nobody out: it does not count, and when there are too many of all, the oldest of these makes room.
 */
export function capConnections(server: Server, connections: number, badRequests: BadRequests): ConnectionCap {
  /** With the time when they came, oldest first. */
  const unused = new Map<Socket, number>();
  let open = 0;
  server.on('connection', (socket: Socket) => {
    open++;
    if (open > connections) destroyOldest(unused);
    unused.set(socket, performance.now());
    socket.once('close', () => {
      open--;
      unused.delete(socket);
    });
  });

  return {
    turnsAway(req, res) {
      unused.delete(req.socket);
      if (open - unused.size <= connections) return false;
      const requestId = requestIdOf(req.headers['x-request-id']);
      const error = tooMany(connections);
      badRequests.add(
        { record: error.code, message: error.message },
        { principal: 'unknown', requestId, excerpt: () => `${req.method} ${req.url}` },
        'api',
      );
      setCommonHeaders(res, requestId);
      res.setHeader('connection', 'close');
      // A body that is left unread makes the system reset the connection, and the answer with it.
      req.resume();
      sendError(res, error, requestId);
      return true;
    },
    closeUnused() {
      for (const socket of unused.keys()) socket.destroy();
    },
  };
}

function destroyOldest(sockets: Map<Socket, number>): void {
  for (const [socket, since] of sockets) {
    if (performance.now() - since > PATIENCE_MS) socket.destroy();
    return;
  }
}

function tooMany(connections: number): ProxyError {
  const message = `There are more than ${connections} connections, so the request was not looked at. Try again in a moment.`;
  return new ProxyError('OVERLOADED', message, { connections, retry_after_s: 1 });
}
