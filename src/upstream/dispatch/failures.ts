import { ProxyError } from '../../contract/errors.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { QUEUE_LIMIT } from '../../load/index.ts';
import type { LaneError, Phase, RpcFailure } from '../transport/lane.ts';

export interface CallName {
  server: string;
  tool: string;
}

export interface ServerCondition {
  state: string;
  lastError: string | undefined;
  /** While it is connecting: which answer is missing, and for how long. */
  waitingText?: string | undefined;
}

/** Advice for a caller that cannot know whether its call has run. */
const CHECK_FIRST = 'Check whether it did before you call it again.';

/** A server that is connecting is usually ready after this time. */
const RETRY_AFTER_S = 1;

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

export function unavailable(
  { server, tool }: CallName,
  { state, lastError, waitingText }: ServerCondition,
  more: Record<string, unknown> = {},
): ProxyError {
  if (state === 'needs_login') return loginNeeded({ server, tool }, lastError);
  const how = state === 'connecting' && waitingText ? waitingText : state;
  const text = (why: string) =>
    `Server '${server}' is not connected (${how})${why}. ${adviceFor(server, state)}`;
  return new ProxyError('SERVER_UNAVAILABLE', text(lastError ? `: ${lastError}` : ''), {
    server,
    tool,
    state,
    ...(lastError && { last_error: lastError }),
    sent: false,
    ...(state === 'connecting' && { retry_after_s: RETRY_AFTER_S }),
    ...more,
  }).withAgentMessage(text(''));
}

/** The address of the log-in is for the operator alone. */
function loginNeeded({ server, tool }: CallName, lastError: string | undefined): ProxyError {
  const text = (why: string) =>
    `Server '${server}' needs a log-in${why}. Ask the operator to run: mcpproxy upstream login ${server}`;
  return new ProxyError('SERVER_UNAVAILABLE', text(lastError ? `: ${lastError}` : ''), {
    server,
    tool,
    state: 'needs_login',
    ...(lastError && { last_error: lastError }),
    sent: false,
  }).withAgentMessage(text(''));
}

function adviceFor(server: string, state: string): string {
  if (state === 'disabled') return `Switch it on with: mcpproxy upstream enable ${server}`;
  if (state === 'connecting') return 'The call was not sent; try again in a moment.';
  return `The proxy keeps retrying; for the cause see: mcpproxy upstream logs ${server}`;
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
      retry_after_s: RETRY_AFTER_S,
    },
  );
}

export function breakerOpen({ server, tool }: CallName, waitMs: number, lastError?: string): ProxyError {
  const seconds = Math.ceil(waitMs / 1000);
  const text = (why: string) =>
    `Server '${server}' failed several times in a row${why}. Circuit breaker open; the call was not sent. Retry in ${seconds} s.`;
  return new ProxyError('SERVER_UNAVAILABLE', text(lastError ? ` (${lastError})` : ''), {
    server,
    tool,
    breaker: 'open',
    sent: false,
    retry_after_s: seconds,
  }).withAgentMessage(text(''));
}

/** How far a call had come at its deadline; undefined: it was not sent. */
export type Reached = { phase: Phase; bytes: number } | undefined;

export function timedOut({ server, tool }: CallName, limitMs: number, reached: Reached): ProxyError {
  const phase = reached?.phase ?? 'queue';
  const sent = phase !== 'queue' && phase !== 'connect';
  const text = {
    queue: `did not answer '${tool}' within ${limitMs} ms; it waited for other calls and was not sent`,
    connect: `could not be connected to within ${limitMs} ms; '${tool}' was not sent`,
    first_byte: `did not answer '${tool}' within ${limitMs} ms; it may still have run`,
    idle: `did not answer '${tool}' within ${limitMs} ms; it may still have run`,
    total: `had not finished its answer to '${tool}' within ${limitMs} ms (${reached?.bytes} bytes had arrived); it may have run`,
  }[phase];
  const advice = sent ? CHECK_FIRST : 'Try again later.';
  return new ProxyError('UPSTREAM_TIMEOUT', `Server '${server}' ${text}. ${advice}`, {
    server,
    tool,
    phase,
    limit_ms: limitMs,
    sent,
  });
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

const INVALID_PARAMS = -32602;
const METHOD_NOT_FOUND = -32601;

/** The server's answer to a request for something else than a tool call. Parameters that it rejects are the caller's. */
export function itemFailed(call: CallName, failure: RpcFailure): ProxyError {
  if (failure.code === METHOD_NOT_FOUND) return notOffered(call);
  const { message, details } = upstreamFailed(call, failure);
  if (failure.code !== INVALID_PARAMS) return new ProxyError('UPSTREAM_FAILED', message, details);
  const { server, tool } = call;
  const why = visibleText(failure.message.slice(0, 2000));
  return new ProxyError(
    'INVALID_ARGUMENTS',
    `Server '${server}' rejected the request for '${tool}': ${why}`,
    {
      ...details,
      sent: true,
    },
  );
}

/** The proxy knows the method, whatever this server says: a client must not take it for one that no server has. */
function notOffered({ server, tool }: CallName): ProxyError {
  return new ProxyError(
    'INVALID_ARGUMENTS',
    `Server '${server}' does not offer what was asked of '${tool}'. Use what is listed`,
    { server, tool, sent: true },
  );
}

/** A request that got no answer. Known secrets are masked in `reason`, but it may quote the server. */
export function notAnswered(
  call: CallName,
  error: LaneError,
  { reason, state }: { reason: string; state: string },
): ProxyError {
  const { server, tool } = call;
  const slow = error.slow && { phase: error.slow.phase, limit_ms: error.slow.limitMs };
  if (error.fault === 'unsent') return unavailable(call, { state, lastError: reason }, slow);
  if (isLoginNeeded(error, state)) return loginNeeded(call, undefined);
  if (error.fault === 'late') {
    const text = `Server '${server}' began to answer '${tool}', but ${reason}; it may have run. ${CHECK_FIRST}`;
    return new ProxyError('UPSTREAM_TIMEOUT', text, { server, tool, ...slow, sent: true });
  }
  if (error.fault === 'lost') {
    const text = (why: string) =>
      `The connection to server '${server}' was lost during '${tool}', which may have run${why}. ${CHECK_FIRST}`;
    const details = { server, tool, reason };
    // The reason may quote the server's stderr, which agents must not see.
    return new ProxyError('OUTCOME_UNKNOWN', text(`: ${reason}`), details).withAgentMessage(text(''));
  }
  if (error.fault === 'too_large') {
    return new ProxyError(
      'RESULT_TOO_LARGE',
      `Server '${server}' ran '${tool}', but ${reason}. Ask it for less.`,
      {
        server,
        tool,
      },
    );
  }
  const details = { server, tool, ...(error.status !== undefined && { http_status: error.status }) };
  if (mayHaveRun(error.status)) {
    const text = `Whether '${tool}' has run on server '${server}' is not known: ${reason}. ${CHECK_FIRST}`;
    return new ProxyError('OUTCOME_UNKNOWN', text, details);
  }
  return new ProxyError('UPSTREAM_FAILED', `Server '${server}' failed: ${reason}`, details);
}

/** The server rejected the request, without running it, for lack of a log-in. */
export function isLoginNeeded({ status }: LaneError, state: string): boolean {
  return state === 'needs_login' && (status === 401 || status === 403);
}

/** The server accepted the request without a readable answer, or a gateway in front of it gave up waiting. */
function mayHaveRun(status: number | undefined): boolean {
  return status !== undefined && (status < 300 || status === 502 || status === 504);
}
