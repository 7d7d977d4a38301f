import { randomBytes } from 'node:crypto';
import type { Clock } from '../../../lib/clock.ts';
import { isSameVisitor, type Visitor } from '../core.ts';
import type { EventWriter } from './event-writer.ts';
import type { LegacyPeer } from '../legacy-peer.ts';
import type { McpLimits } from '../limits.ts';
import { sharesOf } from '../shares.ts';
import { CODE, RpcError } from '../wire.ts';

/** A 2025 client over HTTP: its requests come one by one, this is what holds them together. */
export interface Session {
  peer: LegacyPeer;
  lastUsed: number;
  /** The stream for what belongs to no request. */
  stream: EventWriter | undefined;
}

export interface Sessions {
  readonly size: number;
  open(makePeer: (sessionId: string) => LegacyPeer): Session;
  /** Only who opened a session finds it. */
  find(id: string, visitor: Visitor): Session | undefined;
  end(session: Session, reason: string): void;
  /** Ends what has been idle for too long. */
  sweep(): void;
  all(): IterableIterator<Session>;
}

export function createSessions(
  limits: Pick<McpLimits, 'sessions' | 'sessionIdleMs'>,
  clock: Clock,
): Sessions {
  const sessions = new Map<string, Session>();

  function end(session: Session, reason: string): void {
    sessions.delete(session.peer.sessionId);
    session.peer.calls.cancelAll(reason);
    session.stream?.end();
  }

  /**
   * Of the client that has the most, so that nobody is pushed out by another one's many. Least recently used first: of those that do
   * nothing, else of those that only listen. One with a call in flight is never taken.
   */
  function makeRoom(): void {
    const share = sharesOf([...sessions.values()].map(({ peer }) => peer.visitor));
    const resting = [...sessions.values()].filter(({ peer }) => peer.calls.size === 0);
    const most = Math.max(...resting.map(({ peer }) => share(peer.visitor)));
    const greedy = resting.filter(({ peer }) => share(peer.visitor) === most);
    const silent = greedy.filter(({ stream }) => stream === undefined);
    const oldest = (silent.length > 0 ? silent : greedy).sort((a, b) => a.lastUsed - b.lastUsed)[0];
    if (!oldest)
      throw new RpcError(CODE.server, `Too many sessions: the limit is ${limits.sessions}`, { status: 503 });
    end(oldest, 'the session made room for another');
  }

  return {
    get size() {
      return sessions.size;
    },
    open(makePeer) {
      if (sessions.size >= limits.sessions) makeRoom();
      const peer = makePeer(randomBytes(16).toString('hex'));
      const session: Session = { peer, lastUsed: clock.now(), stream: undefined };
      sessions.set(peer.sessionId, session);
      return session;
    },
    find(id, visitor) {
      const session = sessions.get(id);
      if (!session || !isSameVisitor(session.peer.visitor, visitor)) return undefined;
      session.lastUsed = clock.now();
      return session;
    },
    end,
    sweep() {
      const limit = clock.now() - limits.sessionIdleMs;
      for (const session of sessions.values()) {
        const busy = session.stream !== undefined || session.peer.calls.size > 0;
        if (busy) session.lastUsed = clock.now();
        else if (session.lastUsed < limit) end(session, 'the session expired');
      }
    },
    all: () => sessions.values(),
  };
}
