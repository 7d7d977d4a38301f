import { ProxyError } from '../contract/errors.ts';
import { visibleText } from '../lib/visible-text.ts';
import { QUEUE_LIMIT } from './bulkhead.ts';
import type { LaneError, RpcFailure } from './lane.ts';

export interface CallName {
  server: string;
  tool: string;
}

/** What a server's state means for a caller, and what helps. */
export interface Standing {
  state: string;
  lastError: string | undefined;
}

export function unknownServer({ server, tool }: CallName): ProxyError {
  return new ProxyError(
    'SERVER_UNAVAILABLE',
    `Server '${server}' is not configured; add it, or use retrieve_tools to find other tools`,
    {
      server,
      tool,
    },
  );
}

export function unavailable({ server, tool }: CallName, { state, lastError }: Standing): ProxyError {
  const why = lastError ? `: ${lastError}` : '';
  return new ProxyError(
    'SERVER_UNAVAILABLE',
    `Server '${server}' is not connected (${state})${why}. ${adviceFor(server, state)}`,
    {
      server,
      tool,
      state,
      ...(lastError && { last_error: lastError }),
    },
  );
}

function adviceFor(server: string, state: string): string {
  if (state === 'disabled') return `Switch it on with: mcpproxy upstream enable ${server}`;
  if (state === 'connecting') return 'It is being connected; try again in a moment.';
  return `It is tried again by itself; see: mcpproxy upstream logs ${server}`;
}

export function busy({ server, tool }: CallName, limit: number): ProxyError {
  return new ProxyError(
    'SERVER_BUSY',
    `Server '${server}' is busy: ${limit} calls run and ${QUEUE_LIMIT} wait. Try again later.`,
    {
      server,
      tool,
      concurrency: limit,
      queue: QUEUE_LIMIT,
      sent: false,
      retry_after_s: 1,
    },
  );
}

export function breakerOpen({ server, tool }: CallName, waitMs: number, lastError?: string): ProxyError {
  const seconds = Math.ceil(waitMs / 1000);
  const why = lastError ? ` (${lastError})` : '';
  return new ProxyError(
    'SERVER_UNAVAILABLE',
    `Server '${server}' failed several times in a row${why} and is spared for now; the call was not sent. Try again in ${seconds} s.`,
    { server, tool, breaker: 'open', sent: false, retry_after_s: seconds },
  );
}

export function timedOut({ server, tool }: CallName, limitMs: number, sent: boolean): ProxyError {
  const what = sent ? 'it may still have run' : 'it waited for other calls and was not sent';
  return new ProxyError(
    'UPSTREAM_TIMEOUT',
    `Server '${server}' did not answer '${tool}' within ${limitMs} ms; ${what}`,
    {
      server,
      tool,
      limit_ms: limitMs,
      sent,
    },
  );
}

export function cancelled({ server, tool }: CallName, sent: boolean): ProxyError {
  const what = sent ? 'after it was sent; it may have run' : 'before it was sent';
  return new ProxyError('CANCELLED', `The call of '${tool}' on server '${server}' was cancelled ${what}`, {
    server,
    tool,
    sent,
  });
}

export function upstreamFailed({ server, tool }: CallName, { code, message, data }: RpcFailure): ProxyError {
  return new ProxyError(
    'UPSTREAM_FAILED',
    `Server '${server}' failed: ${visibleText(message.slice(0, 2000))}`,
    {
      server,
      tool,
      rpc_code: code,
      rpc_message: message,
      ...(data !== undefined && { data }),
    },
  );
}

/** A request that got no answer. `reason` is safe to show. */
export function notAnswered(
  call: CallName,
  error: LaneError,
  reason: string,
  standing: Standing,
): ProxyError {
  const { server, tool } = call;
  if (error.fault === 'unsent') return unavailable(call, { ...standing, lastError: reason });
  if (error.fault === 'lost') {
    const text = `The connection to server '${server}' was lost during '${tool}', which may have run: ${reason}`;
    return new ProxyError('OUTCOME_UNKNOWN', text, { server, tool, reason });
  }
  if (error.fault === 'too_large') {
    return new ProxyError('RESULT_TOO_LARGE', `Server '${server}' ran '${tool}', but ${reason}`, {
      server,
      tool,
    });
  }
  const details = { server, tool, ...(error.status !== undefined && { http_status: error.status }) };
  return new ProxyError('UPSTREAM_FAILED', `Server '${server}' failed: ${reason}`, details);
}
