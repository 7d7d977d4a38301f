import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Identity } from '../../../contract/call.ts';
import type { ReserveBody } from '../../../load/index.ts';
import { finishCalls } from '../calls.ts';
import { createCore, type McpClient, type McpParts } from '../core.ts';
import { createLegacyDoor } from './legacy.ts';
import { createModernDoor, createPostDoor } from './post.ts';
import { ModernPeer } from '../modern-peer.ts';
import { createSessions } from './sessions.ts';
import { createSubscriptions, type ListName } from '../subscriptions.ts';
import { isModern } from '../revision.ts';
import { CODE, RpcError } from '../wire.ts';
import { headerOf, rejectRequest, type HttpRequest } from './exchange.ts';

/** The authenticated sender of an HTTP request. */
export interface HttpClient extends Identity {
  requestId: string;
  /** Address of the client. */
  address?: string;
  /** Absent: long bodies are not limited. */
  reserve?: ReserveBody;
  /** Counts the further messages of a batch. */
  addRequests?: (count: number) => void;
}

export interface McpEndpoint {
  /** Serves a request to /mcp that has passed the guard. */
  handle(req: IncomingMessage, res: ServerResponse, client: HttpClient): void;
  /** Notifies clients that a list has a new result; without a condition all of them. */
  listChanged(list: ListName, concerns?: (client: McpClient) => boolean): void;
  /** A token was revoked or has expired: its sessions and streams end, and its calls in flight are cancelled with an error. */
  endToken(token: { id: string; name: string; why: keyof typeof TOKEN_ENDS }): void;
  /** Ends the streams, lets calls in flight finish until the deadline, then cancels them. */
  close(): Promise<void>;
  /** Records the count of bad requests that have no record of their own. */
  flush(): void;
  /** Goes on with the background calls of an earlier process; call it once the servers are starting. */
  resumeTasks(): Promise<void>;
  /** How many 2025 sessions are open. */
  sessions(): number;
}

const DIRECT_PATH = '/mcp/direct';
const SWEEP_MS = 10_000;
const TOKEN_ENDS = {
  revoked: 'was revoked',
  expired: 'expired',
  invalid: 'does not count: its row was changed outside of mcpproxy',
} as const;

export function createMcpEndpoint(parts: McpParts): McpEndpoint {
  const core = createCore(parts);
  const sessions = createSessions(core.limits, core.clock);
  const modern = new ModernPeer(core, {
    inFlight: core.limits.inFlightModern,
    keyOf: (_request, arrival) => arrival,
  });
  const subscriptions = createSubscriptions({
    limit: core.limits.subscriptions,
    endResult: core.answers.subscriptionEnd,
    items: core.items,
    tasks: core.tasks,
  });
  const legacyDoor = createLegacyDoor(core, sessions);
  const post = createPostDoor(core, legacyDoor, createModernDoor(core, modern, subscriptions));
  const sweeper = setInterval(() => {
    sessions.sweep();
    core.badRequests.flush();
  }, SWEEP_MS).unref();
  let closing = false;

  function route(http: HttpRequest): void {
    if (closing) throw stopping();
    switch (http.req.method) {
      case 'POST':
        return post(http);
      case 'GET':
        return legacyDoor.listen(http);
      case 'DELETE':
        return legacyDoor.remove(http);
      case undefined:
      default:
        throw new RpcError(CODE.server, 'Method not allowed: use POST', { status: 405 });
    }
  }

  return {
    handle(req, res, client) {
      const { requestId, address, reserve, addRequests } = client;
      const isDirect = isDirectPath(req.url);
      const http = { req, res, identity: client, isDirect, requestId, address, reserve, addRequests };
      try {
        route(http);
      } catch (cause) {
        req.resume();
        const isWrongMethod = cause instanceof RpcError && cause.status === 405;
        rejectRequest(core, http, {
          cause,
          ...(isWrongMethod && { headers: { allow: allowedMethods(http) } }),
        });
      }
    },
    listChanged(list, concerns = () => true) {
      subscriptions.listChanged(list, concerns);
      legacyDoor.listChanged(list);
      for (const { peer } of sessions.all()) {
        if (peer.initialized && concerns(peer))
          peer.push({ jsonrpc: '2.0', method: `notifications/${list}/list_changed` });
      }
    },
    endToken({ id, name, why }) {
      const hasToken = ({ token }: Identity) => token?.id === id;
      const error = new RpcError(CODE.server, `Token '${name}' ${TOKEN_ENDS[why]}`, { status: 401 });
      for (const calls of [modern.calls, core.tasks?.calls])
        calls?.failAll(error, ({ caller }) => hasToken(caller));
      subscriptions.closeWhere(hasToken);
      for (const session of [...sessions.all()].filter(({ peer }) => hasToken(peer.identity))) {
        session.peer.calls.failAll(error);
        sessions.end(session, error.message);
      }
    },
    async close() {
      closing = true;
      clearInterval(sweeper);
      subscriptions.close();
      for (const { stream } of sessions.all()) stream?.end();
      await core.tasks?.stop();
      const tables = [
        ...(core.tasks ? [core.tasks.calls] : []),
        modern.calls,
        ...[...sessions.all()].map(({ peer }) => peer.calls),
      ];
      await finishCalls(tables, core.limits.drainMs);
      for (const session of sessions.all()) sessions.end(session, 'the proxy is stopping');
      legacyDoor.close();
      core.badRequests.flush(true);
    },
    flush: () => core.badRequests.flush(true),
    async resumeTasks() {
      await core.tasks?.live
        .resumeAll()
        .catch((error: unknown) =>
          core.log.warn({ err: error }, 'background calls are not followed further'),
        );
    },
    sessions: () => sessions.size,
  };
}

/** Whatever the token or the configuration says, this address lists the tools of the servers. */
function isDirectPath(url = ''): boolean {
  return url === DIRECT_PATH || url.startsWith(`${DIRECT_PATH}?`);
}

function stopping(): RpcError {
  return new RpcError(CODE.server, 'The proxy is stopping', { status: 503, record: 'SERVER_UNAVAILABLE' });
}

function allowedMethods(http: HttpRequest): string {
  return isModern(headerOf(http, 'mcp-protocol-version') ?? '') ? 'POST' : 'GET, POST, DELETE';
}
