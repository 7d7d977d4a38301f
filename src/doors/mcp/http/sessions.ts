import { randomBytes } from 'node:crypto';
import type { Identity } from '../../../contract/call.ts';
import type { Clock } from '../../../lib/clock.ts';
import { countByClient, isSameClient } from '../core.ts';
import type { EventWriter } from './event-writer.ts';
import type { LegacyPeer } from '../legacy-peer.ts';
import type { McpLimits } from '../limits.ts';
import { CODE, RpcError } from '../wire.ts';

/** Joins the separate HTTP requests of one 2025 client. */
export interface Session {
  /** The value of the Mcp-Session-Id header. */
  key: string;
  peer: LegacyPeer;
  lastUsed: number;
  /** The stream for messages that belong to no request. */
  stream: EventWriter | undefined;
  /** Where the client is in the stream after the next message; absent: it cannot be resumed. */
  eventId?: () => string;
}

export interface Sessions {
  readonly size: number;
  /** `keyFor`: the header for a session; by default its id. */
  open(makePeer: (sessionId: string) => LegacyPeer, keyFor?: (sessionId: string) => string): Session;
  /** Opens a session that an id describes, unless another request has done so. */
  restore(key: string, peer: LegacyPeer): Session;
  /** A session is found only by the client that opened it. */
  find(id: string, identity: Identity): Session | undefined;
  /** By its id in the log; the credential of the client is not checked. */
  byId(sessionId: string): Session | undefined;
  end(session: Session, reason: string): void;
  /** Ends sessions that have been idle for too long. */
  sweep(): void;
  all(): IterableIterator<Session>;
}

export function createSessions(
  limits: Pick<McpLimits, 'sessions' | 'sessionIdleMs'>,
  clock: Clock,
): Sessions {
  const sessions = new Map<string, Session>();
  const ids = new Map<string, Session>();

  function end(session: Session, reason: string): void {
    sessions.delete(session.key);
    ids.delete(session.peer.sessionId);
    session.peer.calls.cancelAll(reason);
    session.peer.leave();
    session.stream?.end();
  }

  /**
   * Ends a session of the client with the most sessions, so that no client loses one to another's many. Least recently used first: of
   * those without a stream, else of those with one. A session with a call in flight is never ended.
   */
  function makeRoom(): void {
    const countOf = countByClient([...sessions.values()].map(({ peer }) => peer.identity));
    const idle = [...sessions.values()].filter(({ peer }) => peer.calls.size === 0);
    const most = Math.max(...idle.map(({ peer }) => countOf(peer.identity)));
    const largest = idle.filter(({ peer }) => countOf(peer.identity) === most);
    const withoutStream = largest.filter(({ stream }) => stream === undefined);
    const oldest = (withoutStream.length > 0 ? withoutStream : largest).sort(
      (a, b) => a.lastUsed - b.lastUsed,
    )[0];
    if (!oldest)
      throw new RpcError(CODE.server, `Too many sessions: the limit is ${limits.sessions}`, { status: 503 });
    end(oldest, 'the session was ended because a new session needed its slot');
  }

  function add(key: string, peer: LegacyPeer): Session {
    if (sessions.size >= limits.sessions) makeRoom();
    const session: Session = { key, peer, lastUsed: clock.now(), stream: undefined };
    peer.push = (message) => session.stream?.send(message, session.eventId?.());
    sessions.set(key, session);
    ids.set(peer.sessionId, session);
    return session;
  }

  return {
    get size() {
      return sessions.size;
    },
    open(makePeer, keyFor = (id) => id) {
      const id = randomBytes(16).toString('hex');
      return add(keyFor(id), makePeer(id));
    },
    restore: (key, peer) => sessions.get(key) ?? add(key, peer),
    find(id, identity) {
      const session = sessions.get(id);
      if (!session || !isSameClient(session.peer.identity, identity)) return undefined;
      session.lastUsed = clock.now();
      return session;
    },
    byId: (sessionId) => ids.get(sessionId),
    end,
    sweep() {
      const limit = clock.now() - limits.sessionIdleMs;
      for (const session of sessions.values()) {
        const isBusy = session.stream !== undefined || session.peer.calls.size > 0;
        if (isBusy) session.lastUsed = clock.now();
        else if (session.lastUsed < limit) end(session, 'the session expired');
      }
    },
    all: () => sessions.values(),
  };
}
