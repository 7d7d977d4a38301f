import type { Identity } from '../../../contract/call.ts';
import type { EndedMcpSessions, Relay, SessionSettings } from '../../../db/index.ts';
import { isObject } from '../../../json/index.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { StateSeal } from '../../../lib/state-seal.ts';
import type { Negotiated } from '../answers.ts';

/** How long a session can be restored after it was opened. */
export const SESSION_LIFE_MS = 30 * 86_400_000;

/** How the proxies on one database serve the same sessions. */
export interface SessionSharing {
  relay: Relay;
  settings: SessionSettings;
}

export interface SessionKeeping {
  /** Shared by all proxies that serve the same sessions. */
  seal: StateSeal;
  ended: EndedMcpSessions;
  /** Absent: one proxy serves them. */
  sharing?: SessionSharing;
  clock: Clock;
}

/** What a session id carries: everything that the handshake has settled. */
export interface KeptSession {
  id: string;
  issuedMs: number;
  isDirect: boolean;
  negotiated: Negotiated;
}

/**
 * Ids that carry their session, so that it survives a restart and can be used at every proxy on the same database: the id for the log, a
 * point, and the sealed content. An id is not a credential: it opens only for the credential that opened the session.
 */
export interface SessionIds {
  /** The value of the Mcp-Session-Id header. */
  issue(id: string, identity: Identity, session: Pick<KeptSession, 'isDirect' | 'negotiated'>): string;
  /** Undefined where the header is not ours, of another credential, or too old. */
  open(header: string, identity: Identity): KeptSession | undefined;
  isEnded(session: KeptSession, identity: Identity): Promise<boolean>;
  end(header: string, identity: Identity): Promise<void>;
}

const VERSION = 1;
const MAX_LENGTH = 4_096;

export function createSessionIds({ seal, ended, clock }: SessionKeeping): SessionIds {
  function open(header: string, identity: Identity): KeptSession | undefined {
    const id = recordedSession(header);
    if (header.length > MAX_LENGTH || id === header) return undefined;
    const value = seal.open(header.slice(id.length + 1), boundTo(id, identity))?.value;
    if (!isObject(value) || value.version !== VERSION) return undefined;
    return { id, ...value } as unknown as KeptSession;
  }

  return {
    issue(id, identity, { isDirect, negotiated }) {
      const value = { version: VERSION, issuedMs: clock.now(), isDirect, negotiated };
      return `${id}.${seal.seal(value, boundTo(id, identity))}`;
    },
    open,
    isEnded: ({ id, issuedMs }, identity) => ended.has({ owner: ownerOf(identity), id, issuedMs }),
    async end(header, identity) {
      const session = open(header, identity);
      if (session) await ended.add({ owner: ownerOf(identity), id: session.id, issuedMs: session.issuedMs });
    },
  };
}

/** The part of the header that is the `session_id` of records. */
export function recordedSession(header: string): string {
  const end = header.indexOf('.');
  return end < 0 ? header : header.slice(0, end);
}

function ownerOf({ principal, token }: Identity): string {
  return JSON.stringify([principal, token?.id ?? null]);
}

function boundTo(id: string, identity: Identity): string {
  return JSON.stringify(['mcp session', id, ownerOf(identity)]);
}
