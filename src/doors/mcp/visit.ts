import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AskRoom } from '../../load/index.ts';
import { ofRequest } from '../../lib/log.ts';
import { passedOn, readContext } from '../../lib/trace.ts';
import type { McpCore, Visitor } from './core.ts';
import { sendJson } from './exchange.ts';
import { CODE, errorMessage, RpcError, type RequestId } from './wire.ts';

/** One HTTP request that has passed the guard. */
export interface Visit {
  req: IncomingMessage;
  res: ServerResponse;
  visitor: Visitor;
  requestId: string;
  room?: AskRoom | undefined;
}

/** Custom headers never come as a list: node joins repeated ones. */
export function headerOf({ req }: Visit, name: string): string | undefined {
  const value = req.headers[name];
  return typeof value === 'string' ? value : undefined;
}

function aboutVisit({ req, requestId }: Visit) {
  return ofRequest({ requestId, trace: passedOn(readContext(req.headers)) });
}

export interface Refusal {
  id?: RequestId | null;
  headers?: Record<string, string>;
  excerpt?: () => string;
}

/** Answers with an error before any peer was reached, and keeps a record of it where it was the message's fault. */
export function refuse(
  core: McpCore,
  visit: Visit,
  cause: unknown,
  { id = null, headers, excerpt }: Refusal = {},
): void {
  const { res, visitor, requestId } = visit;
  if (!(cause instanceof RpcError))
    core.log.error({ err: cause, ...aboutVisit(visit) }, 'mcp request failed inside');
  const error =
    cause instanceof RpcError ? cause : new RpcError(CODE.internal, 'Internal error', { status: 500 });
  const sessionId = headerOf(visit, 'mcp-session-id')?.slice(0, 64);
  const { principal, token } = visitor;
  const from = { principal, tokenId: token?.id, requestId, sessionId, excerpt: excerpt ?? (() => '') };
  void core.badRequests.add(error, from);
  if (res.headersSent) res.destroy();
  else sendJson(res, error.status, errorMessage(id, error), headers);
}

export function accepted({ res }: Visit): void {
  res.writeHead(202).end();
}
