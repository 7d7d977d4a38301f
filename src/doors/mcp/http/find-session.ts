import { ofRequest } from '../../../lib/log.ts';
import type { McpCore } from '../core.ts';
import { LegacyPeer } from '../legacy-peer.ts';
import { CODE, LEGACY_REVISIONS, RpcError, type Message } from '../wire.ts';
import { headerOf, rejectRequest, type HttpRequest } from './exchange.ts';
import type { SharedSessions } from '../anywhere/shared-sessions.ts';
import type { KeptSession, SessionIds } from './session-ids.ts';
import type { Session, Sessions } from './sessions.ts';

interface Parts {
  core: McpCore;
  sessions: Sessions;
  /** Absent: sessions end with this process. */
  ids: SessionIds | undefined;
  shared: SharedSessions | undefined;
}

/** Finds the 2025 session of a request, in memory or, after a restart or at another proxy, by what its id carries. */
export function createFindSession({ core, sessions, ids, shared }: Parts) {
  async function restore(header: string, kept: KeptSession, http: HttpRequest): Promise<Session> {
    if (await ids!.isEnded(kept, http.identity)) throw sessionNotFound();
    const peer = new LegacyPeer(core, http.identity, kept.id);
    peer.applyHandshake(kept.negotiated);
    peer.isDirect = kept.isDirect;
    // The client was ready before; it does not say so again.
    peer.initialized = true;
    shared?.attach(peer);
    await shared?.restored(peer);
    core.log.debug({ session: kept.id, client: kept.negotiated.client }, 'restored an MCP session by its id');
    return sessions.restore(header, peer);
  }

  /** Calls `use` at once where the session is in memory. Errors are thrown, or answered here where the session was restored. */
  function withSession(http: HttpRequest, use: (session: Session) => void, message?: Message): void {
    const header = requiredId(http);
    requireKnownVersion(http);
    const session = sessions.find(header, http.identity);
    if (session) return use(session);
    const kept = ids?.open(header, http.identity);
    if (!kept) throw sessionNotFound();
    restore(header, kept, http)
      .then((restored) => http.res.destroyed || use(restored))
      .catch((cause: unknown) => {
        const excerpt = () => JSON.stringify(message ?? '');
        rejectRequest(core, http, { cause, id: message?.id ?? null, excerpt });
      });
  }

  /** Ends a session for good: its id is not restored any more. */
  async function end(session: Session, http: HttpRequest): Promise<void> {
    sessions.end(session, 'the client ended the session');
    try {
      await ids?.end(session.key, http.identity);
      await shared?.ended(session.peer.sessionId);
      http.res.writeHead(200).end();
    } catch (error) {
      const about = { err: error, session: session.peer.sessionId, ...ofRequest(http) };
      core.log.error(about, 'the end of an MCP session could not be stored');
      rejectRequest(core, http, { cause: endNotStored() });
    }
  }

  return { withSession, end };
}

function requiredId(http: HttpRequest): string {
  const id = headerOf(http, 'mcp-session-id');
  if (id === undefined) throw badRequest('the Mcp-Session-Id header is required; send "initialize" first');
  return id;
}

function requireKnownVersion(http: HttpRequest): void {
  const version = headerOf(http, 'mcp-protocol-version');
  if (version === undefined || LEGACY_REVISIONS.includes(version)) return;
  throw badRequest(
    `unsupported protocol version ${version.slice(0, 200)} (supported: ${LEGACY_REVISIONS.join(', ')})`,
  );
}

function sessionNotFound(): RpcError {
  const message = 'Session not found: it has ended or never existed; send "initialize" for a new one';
  return new RpcError(CODE.sessionNotFound, message, { status: 404, record: 'INVALID_REQUEST' });
}

function endNotStored(): RpcError {
  const message =
    'The calls of the session were cancelled, but its end could not be stored, so its id can still be used. Send DELETE again';
  return new RpcError(CODE.server, message, { status: 503 });
}

function badRequest(problem: string): RpcError {
  return new RpcError(CODE.server, `Bad Request: ${problem}`, { status: 400, record: 'INVALID_REQUEST' });
}
