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

/**
 * Up to `connections` everyone is served. Beyond it, who has not asked anything yet makes room, the oldest first, so that a crowd that
 * only holds connections open keeps nobody out; and requests are answered at once, with a word when to come back.
 */
export function capConnections(server: Server, connections: number, badRequests: BadRequests): ConnectionCap {
  const unused = new Set<Socket>();
  let open = 0;
  server.on('connection', (socket: Socket) => {
    open++;
    if (open > connections) destroyOldest(unused);
    unused.add(socket);
    socket.once('close', () => {
      open--;
      unused.delete(socket);
    });
  });

  return {
    turnsAway(req, res) {
      unused.delete(req.socket);
      if (open <= connections) return false;
      const requestId = requestIdOf(req.headers['x-request-id']);
      const error = tooMany(connections);
      badRequests.add(
        { record: error.code, message: error.message },
        { principal: 'unknown', requestId, excerpt: () => `${req.method} ${req.url}` },
        'api',
      );
      setCommonHeaders(res, requestId);
      res.setHeader('connection', 'close');
      sendError(res, error, requestId);
      return true;
    },
    closeUnused() {
      for (const socket of unused) socket.destroy();
    },
  };
}

function destroyOldest(sockets: Set<Socket>): void {
  for (const socket of sockets) {
    sockets.delete(socket);
    return void socket.destroy();
  }
}

function tooMany(connections: number): ProxyError {
  const message = `There are more than ${connections} connections, so the request was not looked at. Try again in a moment.`;
  return new ProxyError('OVERLOADED', message, { connections, retry_after_s: 1 });
}
