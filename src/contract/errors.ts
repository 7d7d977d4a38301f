import { z } from 'zod';

/**
 * How a call that ends with the error is recorded. `refused`: policy or bad input said no before dispatch. `error`: it was tried and went
 * wrong. `unknown`: it may have run. `pending`, `denied`, `expired`: a person was asked, and it did not run.
 */
export type ErrorOutcome = 'refused' | 'error' | 'unknown' | 'pending' | 'denied' | 'expired';

/** How each error answers at each door: HTTP status for REST, exit code for the CLI, and a sentence for the docs. */
interface ErrorEntry {
  status: number;
  exit: number;
  outcome: ErrorOutcome;
  says: string;
}

export const EXIT = {
  ok: 0,
  general: 1,
  usage: 2,
  refused: 3,
  config: 4,
  portInUse: 5,
  dataDirInUse: 6,
  noDaemon: 7,
} as const;

const refused = (status: number, says: string): ErrorEntry => ({
  status,
  exit: EXIT.refused,
  outcome: 'refused',
  says,
});
const invalid = (says: string, status = 400): ErrorEntry => ({
  status,
  exit: EXIT.usage,
  outcome: 'refused',
  says,
});
const asked = (status: number, outcome: ErrorOutcome, says: string): ErrorEntry => ({
  status,
  exit: EXIT.refused,
  outcome,
  says,
});
const failed = (status: number, says: string, exit: number = EXIT.general): ErrorEntry => ({
  status,
  exit,
  outcome: 'error',
  says,
});

export const ERRORS = {
  // The declared intent
  MISSING_INTENT: refused(403, 'The call declares no intent although the configuration requires one.'),
  MISSING_OPERATION_TYPE: refused(403, 'An intent was given without its operation_type.'),
  INVALID_OPERATION_TYPE: refused(403, 'The declared operation_type is not read, write or destructive.'),
  INTENT_MISMATCH: refused(403, 'The declared operation differs from the call_tool variant that was chosen.'),
  INVALID_SENSITIVITY: refused(403, 'The declared data_sensitivity is not one of the four known values.'),
  REASON_TOO_LONG: refused(403, 'The declared reason is longer than 1000 characters.'),
  INTENT_CONFLICT: refused(403, 'The nested intent object and the flat intent_* parameters disagree.'),
  SERVER_MISMATCH: refused(
    403,
    'The tool is held to a more severe operation than the variant that was chosen.',
  ),
  // The call
  INVALID_ARGUMENTS: invalid('The parameters of the call are malformed.'),
  INVALID_TOOL_ARGUMENTS: invalid(
    'The arguments do not fit the schema of the tool; the details name the problems and carry the schema.',
  ),
  TOO_DEEP: invalid('The JSON is nested deeper than the limit.'),
  TOOL_NOT_FOUND: invalid('No connected server offers a tool of this name.', 404),
  TOOL_DISABLED: refused(403, 'The operator has switched this tool off.'),
  TOOL_WITHHELD: refused(403, 'The tool is new or has changed, and the operator has not approved it yet.'),
  OUT_OF_SCOPE: refused(
    403,
    'The agent token of the caller is not made for this tool; the details say what it may call.',
  ),
  INVALID_STATE: invalid(
    'The request state is not one that this caller was given for this call, or it is too old.',
  ),
  SERVER_UNAVAILABLE: failed(503, 'The server that offers the tool is not connected.'),
  SERVER_BUSY: failed(429, 'Too many calls are waiting for this server.'),
  OVERLOADED: failed(
    429,
    'Too many calls or long messages at once, of all clients or of this one; the call was not made.',
  ),
  UPSTREAM_FAILED: failed(502, 'The server answered with a protocol error, or could not be reached.'),
  UPSTREAM_TIMEOUT: {
    status: 504,
    exit: EXIT.general,
    outcome: 'unknown',
    says: 'The server did not answer in time; the call may have run.',
  },
  OUTCOME_UNKNOWN: {
    status: 502,
    exit: EXIT.general,
    outcome: 'unknown',
    says: 'The connection was lost after dispatch, or there was no answer that can be read; the call may have run.',
  },
  RESULT_TOO_LARGE: {
    status: 502,
    exit: EXIT.general,
    outcome: 'unknown',
    says: 'The answer of the server exceeds the size limit; the call has run.',
  },
  CANCELLED: {
    status: 499,
    exit: EXIT.general,
    outcome: 'unknown',
    says: 'The caller cancelled the call or went away after dispatch.',
  },
  AUDIT_UNAVAILABLE: failed(
    503,
    'The activity log cannot be written, so the call was not made; where details.executed is true it ran, and only its outcome could not be recorded.',
  ),
  // A person decides
  POLICY_REFUSED: refused(403, 'The policy in approvals.require refuses this call.'),
  APPROVAL_PENDING: asked(
    409,
    'pending',
    'The call waits for a person to approve it; repeat the identical call to get its result.',
  ),
  APPROVAL_DENIED: asked(403, 'denied', 'A person has denied the call; the details carry the reason.'),
  APPROVAL_EXPIRED: asked(403, 'expired', 'Nobody approved the call in time; it did not run.'),
  APPROVAL_CANCELLED: asked(409, 'refused', 'The caller withdrew the call while it waited; it did not run.'),
  APPROVAL_USED: asked(
    409,
    'refused',
    'The approval was used by another request for the same call; the details name its record.',
  ),
  APPROVAL_MISMATCH: refused(409, 'The approval was given for another call: something has changed since.'),
  APPROVAL_LIMIT: refused(
    429,
    'Too many calls of this caller wait for approval already, or the call is too long to be shown to a person.',
  ),
  APPROVAL_FORBIDDEN: refused(
    403,
    'This credential, or this way, may not decide on approvals; or the call was not read whole before it was approved.',
  ),
  DATABASE_UNAVAILABLE: failed(503, 'The database cannot be written, or its server does not answer.'),
  // The request
  INVALID_REQUEST: invalid('The request does not fit the route: a parameter or the body is wrong.'),
  INVALID_JSON: invalid('The body is not valid JSON.'),
  UNAUTHORIZED: {
    status: 401,
    exit: EXIT.refused,
    outcome: 'refused',
    says: 'The API key or token is missing, wrong, expired or revoked.',
  },
  TOKEN_NOT_ALLOWED: refused(
    403,
    'An agent token opens /mcp, and the task assistant if it was made for it; this needs the key of the operator.',
  ),
  FORBIDDEN_HOST: refused(403, 'The Host or Origin header does not name this proxy.'),
  FORBIDDEN: refused(403, 'This credential does not permit this.'),
  NOT_FOUND: invalid('There is no such route, server, record or tool.', 404),
  METHOD_NOT_ALLOWED: invalid('The route exists but not with this method.', 405),
  CONFLICT: invalid(
    'A thing of this name exists already, cannot be changed in its present state, or has changed while a call waited.',
    409,
  ),
  PAYLOAD_TOO_LARGE: invalid('The body is larger than the limit, or has too many keys or values.', 413),
  UNSUPPORTED_MEDIA_TYPE: invalid('The body must be application/json.', 415),
  TOO_MANY_REQUESTS: invalid('Too many failed log-ins or open connections; try again later.', 429),
  INTERNAL: failed(500, 'Something broke inside the proxy; the log on stderr has the details.'),
  // Starting up and the command line
  USAGE: invalid('The command line is wrong.'),
  CONFIG_INVALID: failed(
    400,
    'The configuration file is invalid; the message names file, line and key.',
    EXIT.config,
  ),
  LOG_BROKEN: failed(409, 'The activity log does not verify, so it is not moved.'),
  PORT_IN_USE: failed(500, 'Another program listens on this address.', EXIT.portInUse),
  DATA_DIR_IN_USE: failed(500, 'Another mcpproxy uses this data directory.', EXIT.dataDirInUse),
  NO_DAEMON: failed(503, 'No mcpproxy answers at this address.', EXIT.noDaemon),
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERRORS;
export const ErrorCode = z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]);

export const ErrorBody = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    details: z.record(z.string(), z.unknown()).optional(),
    request_id: z.string().optional(),
  }),
});
export type ErrorBody = z.infer<typeof ErrorBody>;

const WITHOUT_STACK = new Set<ErrorCode>([
  'OVERLOADED',
  'SERVER_BUSY',
  'SERVER_UNAVAILABLE',
  'TOO_MANY_REQUESTS',
  'UPSTREAM_TIMEOUT',
]);

/** The one error type that crosses folders. Each door renders it once: isError (mcp), status + JSON (http), exit code (cli). */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  readonly code: ErrorCode;
  readonly details: Record<string, unknown>;
  /** The message for agents, where the full one quotes what only the operator may see; see `error-for-agent.ts`. */
  agentMessage: string | undefined;

  constructor(code: ErrorCode, message: string, details: Record<string, unknown> = {}) {
    // Frequent errors carry no stack: capturing it costs more than all checks before it.
    const { stackTraceLimit } = Error;
    if (WITHOUT_STACK.has(code)) Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    this.details = details;
  }

  /** Like the option `cause` of `Error`, which is not enumerable either. */
  withCause(cause: unknown): this {
    return Object.defineProperty(this, 'cause', { value: cause, configurable: true, writable: true });
  }

  withAgentMessage(message: string): this {
    this.agentMessage = message;
    return this;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }

  get exitCode(): number {
    return ERRORS[this.code].exit;
  }

  get outcome(): ErrorOutcome {
    return ERRORS[this.code].outcome;
  }

  toBody(requestId?: string): ErrorBody {
    return {
      error: {
        code: this.code,
        message: this.message,
        details: this.details,
        ...(requestId && { request_id: requestId }),
      },
    };
  }
}

export function toProxyError(error: unknown): ProxyError {
  if (error instanceof ProxyError) return error;
  return new ProxyError('INTERNAL', 'Internal error').withCause(error);
}
