import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AskRoom } from '../../../load/index.ts';
import { finishCalls } from '../call-table.ts';
import { createCore, type McpParts, type Visitor } from '../core.ts';
import { createLegacyDoor } from './legacy.ts';
import { createModernDoor } from './modern.ts';
import { createPostDoor } from './post.ts';
import { ModernPeer } from '../modern-peer.ts';
import { createSessions } from './sessions.ts';
import { createSubscriptions } from '../subscriptions.ts';
import { isModern } from '../revision.ts';
import { headerOf, refuse, type Visit } from '../visit.ts';
import { CODE, RpcError } from '../wire.ts';

export interface McpEndpoint {
  /** Serves a request to /mcp whose address and key were checked already. */
  handle(
    req: IncomingMessage,
    res: ServerResponse,
    visitor: Visitor,
    { requestId, room }: { requestId: string; room?: AskRoom },
  ): void;
  /** Tells everybody who listens that tools/list has a new answer. */
  toolsChanged(): void;
  /** A token is good no more: its sessions and streams end, and its calls in flight are cancelled and told why. */
  endToken(token: { id: string; name: string; why: string }): void;
  /** Ends the streams at once, lets calls in flight finish until the deadline, then cancels them. */
  close(): Promise<void>;
  /** Writes the count of refusals that have no record of their own. */
  flush(): void;
  /** How many 2025 sessions are open. */
  sessions(): number;
}

const SWEEP_MS = 10_000;

export function createMcpEndpoint(parts: McpParts): McpEndpoint {
  const core = createCore(parts);
  const sessions = createSessions(core.limits, core.clock);
  const modern = new ModernPeer(core, core.limits.inFlightModern);
  const subscriptions = createSubscriptions({
    limit: core.limits.subscriptions,
    endResult: core.answers.subscriptionEnd,
  });
  const legacyDoor = createLegacyDoor(core, sessions);
  const post = createPostDoor(core, legacyDoor, createModernDoor(core, modern, subscriptions));
  const sweeper = setInterval(() => {
    sessions.sweep();
    core.badRequests.flush();
  }, SWEEP_MS).unref();
  let closing = false;

  function route(visit: Visit): void {
    if (closing) throw stopping();
    switch (visit.req.method) {
      case 'POST':
        return post(visit);
      case 'GET':
        return legacyDoor.listen(visit);
      case 'DELETE':
        return legacyDoor.remove(visit);
      case undefined:
      default:
        throw new RpcError(CODE.server, 'Method not allowed: use POST', { status: 405 });
    }
  }

  return {
    handle(req, res, visitor, { requestId, room }) {
      const visit = { req, res, visitor, requestId, room };
      try {
        route(visit);
      } catch (cause) {
        req.resume();
        const notAllowed = cause instanceof RpcError && cause.status === 405;
        refuse(core, visit, cause, notAllowed ? { headers: { allow: allowedMethods(visit) } } : {});
      }
    },
    toolsChanged() {
      subscriptions.toolsChanged();
      for (const { peer, stream } of sessions.all()) {
        if (peer.initialized) stream?.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
      }
    },
    endToken({ id, name, why }) {
      const isIts = ({ token }: Visitor) => token?.id === id;
      const error = new RpcError(CODE.server, `Token '${name}' ${why === 'revoked' ? 'was revoked' : why}`, {
        status: 401,
      });
      modern.calls.failAll(error, ({ caller }) => isIts(caller));
      subscriptions.closeOf(isIts);
      for (const session of [...sessions.all()].filter(({ peer }) => isIts(peer.visitor))) {
        session.peer.calls.failAll(error);
        sessions.end(session, error.message);
      }
    },
    async close() {
      closing = true;
      clearInterval(sweeper);
      subscriptions.close();
      for (const { stream } of sessions.all()) stream?.end();
      const tables = [modern.calls, ...[...sessions.all()].map(({ peer }) => peer.calls)];
      await finishCalls(tables, core.limits.drainMs);
      for (const session of sessions.all()) sessions.end(session, 'the proxy is stopping');
      core.badRequests.flush(true);
    },
    flush: () => core.badRequests.flush(true),
    sessions: () => sessions.size,
  };
}

function stopping(): RpcError {
  return new RpcError(CODE.server, 'The proxy is stopping', { status: 503, record: 'SERVER_UNAVAILABLE' });
}

function allowedMethods(visit: Visit): string {
  return isModern(headerOf(visit, 'mcp-protocol-version') ?? '') ? 'POST' : 'GET, POST, DELETE';
}
