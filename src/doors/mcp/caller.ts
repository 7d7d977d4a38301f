import type { Caller, Trace } from '../../contract/call.ts';
import type { Visitor } from './core.ts';

interface Said {
  sessionId?: string | undefined;
  client?: string | undefined;
  trace?: Trace | undefined;
}

/** Who makes a call over MCP: what the door knows of the visitor, and what the client says of itself. */
export function callerOf(
  { principal, userId, token }: Visitor,
  requestId: string,
  { sessionId, client, trace }: Said,
): Caller {
  return {
    source: 'mcp',
    principal,
    userId,
    requestId,
    ...(token && { token }),
    ...(sessionId && { sessionId }),
    ...(client && { client }),
    ...(trace && { trace }),
  };
}
