import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { UnheardRequest } from '../../../log/index.ts';
import type { Identity } from '../../../contract/call.ts';
import type { ProxyError } from '../../../contract/errors.ts';
import { hasFairShare } from '../../../load/index.ts';
import { sendError, setCommonHeaders } from '../answer.ts';
import { createKeylessRequests } from './keyless-requests.ts';
import { requestIdOf } from '../request-id.ts';
import { tooManyConnections, tooManyOfClient, turnAway } from './turn-away.ts';

export interface ConnectionCap {
  /** True: there is no room for the request, of anybody or of this client, and it was answered with that. Without an identity it has shown no key. */
  turnsAway(req: IncomingMessage, res: ServerResponse, identity: Identity | undefined): boolean;
  /** Connections that never sent a request count as busy in node, and would hold up closing. */
  closeUnused(): void;
}

export interface CapEvents {
  onTurnedAway: (request: UnheardRequest) => void;
  /** A request without a key makes room for others. */
  onClosed: (socket: Socket) => void;
}

interface Use {
  /** Requests under way; several may be on one connection. */
  requests: number;
  /** Whether the last of them has shown a key that is good. */
  hasKey: boolean;
  last: ServerResponse | undefined;
  share: Share | undefined;
}

/** How many connections one client uses. */
interface Share {
  readonly client: string;
  connections: number;
}

interface Refusal {
  error: ProxyError;
  of: 'connections' | 'client';
}

/** Whoever connects asks within moments, but its machine may be as busy as ours. */
const PATIENCE_MS = 6_000;
/** Who has asked nothing for so long is not about to. */
const IDLE_MS = 1_000;
/** One in so many is not for agents, whose calls may wait for long: the operator must get in, to decide about them or to stop them. */
const KEPT_FREE = 8;

/** One in so many may be used by requests without a key. */
const KEYLESS = 8;

/**
 * Up to `limit` connections that ask are served; beyond it a request is answered at once, with a word when to come back. Who connects and
 * asks nothing keeps nobody out: it does not count, and when there are too many of all, the oldest of these makes room. Nor does who has
 * asked before and only keeps its connection. Requests without a key make room for those with one, and no client gets so much that
 * there is nothing left for another.
 */
export function capConnections(
  server: Server,
  limit: () => number,
  { onTurnedAway, onClosed }: CapEvents,
): ConnectionCap {
  const open = new Set<Socket>();
  /** With the time when they came, oldest first. */
  const unused = new Map<Socket, number>();
  /** With the time of their last answer, oldest first. */
  const idle = new Map<Socket, number>();
  /** Those of them whose last request has shown no good key: they need not rest first to make room. */
  const idleKeyless = new Set<Socket>();
  const uses = new WeakMap<Socket, Use>();
  const shares = new Map<string, Share>();
  /** Connections of all shares. */
  let shared = 0;
  const keyless = createKeylessRequests(
    () => Math.max(1, Math.floor(limit() / KEYLESS)),
    (socket) => {
      forget(socket);
      // Half an answer cannot be taken back.
      if (uses.get(socket)?.last?.headersSent) socket.destroy();
      else onClosed(socket);
    },
  );
  /** Those that are told to come back, and nothing else. */
  const leaving = new Set<Socket>();
  const isFull = () => open.size - unused.size >= limit();
  // Node's own way to serve a connection: begun only for those that there is room for.
  const serve = server.listeners('connection') as Array<(socket: Socket) => void>;
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    if (isFull() && !endIdle() && !keyless.closeOldest()) return leave(socket);
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

  function leave(socket: Socket): void {
    leaving.add(socket);
    socket.once('close', () => leaving.delete(socket));
    const note = (firstLine: string) =>
      onTurnedAway({ remote: socket.remoteAddress ?? '', firstLine, of: 'connections' });
    turnAway(socket, { connections: limit(), patienceMs: PATIENCE_MS, note });
  }

  function forget(socket: Socket): void {
    for (const sockets of [open, unused, idle, idleKeyless]) sockets.delete(socket);
  }

  /** The one that makes room first: one without a key, else the one that has rested for longest. */
  function longestIdle(): Socket | undefined {
    for (const socket of idleKeyless) return socket;
    for (const [socket, since] of idle) return performance.now() - since > IDLE_MS ? socket : undefined;
    return undefined;
  }

  /** True: a connection that only rests makes room, unless it asks before the end of this turn. */
  function endIdle(): boolean {
    const socket = longestIdle();
    if (!socket) return false;
    forget(socket);
    setImmediate(() => uses.get(socket)?.requests || socket.destroy());
    return true;
  }

  /** Until its answer is out a connection is in use; several requests may be on their way on one. */
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
      giveShare(use, undefined);
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

  function giveShare(use: Use, share: Share | undefined): void {
    const before = use.share;
    use.share = share;
    shared += (share ? 1 : 0) - (before ? 1 : 0);
    if (share) share.connections++;
    if (before && --before.connections === 0) shares.delete(before.client);
  }

  /** Of the connections, those that agents may use. */
  function agentLimit(): number {
    const connections = limit();
    return connections - Math.ceil(connections / KEPT_FREE);
  }

  /** Those that only rest make room, and those without a key for one with a key. */
  function hasRoom({ url = '' }: IncomingMessage, hasKey: boolean): boolean {
    const makesRoom = () => hasKey && keyless.closeOldest();
    while (open.size - unused.size > limit()) if (!endIdle() && !makesRoom()) return false;
    if (!AGENTS.test(url)) return true;
    while (open.size - unused.size - idle.size > agentLimit()) if (!makesRoom()) return false;
    return true;
  }

  /** Takes a place for this client; false: it has too many. */
  function takeShare(use: Use, client: string): boolean {
    if (use.share?.client === client) return true;
    const share = shares.get(client) ?? { client, connections: 0 };
    if (!hasFairShare(share.connections, shared, agentLimit())) return false;
    shares.set(client, share);
    giveShare(use, share);
    return true;
  }

  function refusal(req: IncomingMessage, identity: Identity | undefined): Refusal | undefined {
    const client = identity && agentOf(identity);
    if (client !== undefined && !takeShare(useOf(req.socket), client))
      return { error: tooManyOfClient(shares.get(client)?.connections ?? 0), of: 'client' };
    if (hasRoom(req, identity !== undefined)) return undefined;
    return { error: tooManyConnections(limit()), of: 'connections' };
  }

  return {
    turnsAway(req, res, identity) {
      begin(req, res, identity !== undefined);
      const refused = refusal(req, identity);
      if (!refused) return false;
      const requestId = requestIdOf(req.headers['x-request-id']);
      const firstLine = `${req.method} ${req.url}`;
      const remote = req.socket.remoteAddress ?? '';
      // Who it was is only said where that matters: of all others it is enough how many there were.
      const principal = refused.of === 'client' ? identity!.principal : undefined;
      onTurnedAway({ remote, firstLine, of: refused.of, ...(principal && { principal }) });
      setCommonHeaders(res, requestId);
      res.setHeader('connection', 'close');
      // A body that is left unread makes the system reset the connection, and the answer with it.
      req.resume();
      sendError(res, refused.error, requestId);
      return true;
    },
    closeUnused() {
      for (const socket of [...unused.keys(), ...leaving]) socket.destroy();
    },
  };
}

/** Whose share of the connections a request uses; the operator has all that there are. */
const agentOf = ({ token, principal }: Identity): string | undefined =>
  token?.id ?? (principal === 'operator' ? undefined : principal);

const AGENTS = /^\/mcp(\?|$)/;

/** Where we stood still ourselves its request may be there and not read yet: that happens before the end of this turn. */
function destroyOldest(sockets: Map<Socket, number>): void {
  for (const [socket, since] of sockets) {
    if (performance.now() - since > PATIENCE_MS)
      setImmediate(() => void (sockets.has(socket) && socket.destroy()));
    return;
  }
}
