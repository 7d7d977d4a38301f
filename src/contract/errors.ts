import type { ErrorBody } from './error-body.ts';

/**
 * The recorded status of a call that ends with the error. `refused`: refused before dispatch, by policy or because of bad input. `error`:
 * it was tried and failed. `unknown`: it may have run. `pending`, `denied`, `expired`: it required an approval and did not run.
 */
export type ErrorOutcome = 'refused' | 'error' | 'unknown' | 'pending' | 'denied' | 'expired';

/** How each error is reported: HTTP status for REST, exit code for the CLI, and a sentence for the docs. */
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
  /** Only of `activity verify` and `activity audit`: the check is not possible. */
  unverifiable: 8,
  serverFailed: 9,
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
  MISSING_INTENT: refused(403, 'The call declares no intent, but the configuration requires one.'),
  MISSING_OPERATION_TYPE: refused(403, 'An intent was given without its operation_type.'),
  INVALID_OPERATION_TYPE: refused(403, 'The declared operation_type is not read, write or destructive.'),
  INTENT_MISMATCH: refused(403, 'The declared operation differs from the call_tool variant that was chosen.'),
  INVALID_SENSITIVITY: refused(403, 'The declared data_sensitivity is not one of the four known values.'),
  REASON_TOO_LONG: refused(403, 'The declared reason is longer than 1000 characters.'),
  INTENT_CONFLICT: refused(403, 'The nested intent object and the flat intent_* parameters disagree.'),
  SERVER_MISMATCH: refused(
    403,
    'The operation of the tool is more severe than the call_tool variant that was chosen.',
  ),
  // The call
  INVALID_ARGUMENTS: invalid('The parameters of the call are malformed.'),
  INVALID_TOOL_ARGUMENTS: invalid(
    'The arguments do not match the schema of the tool; the details list the problems and include the schema.',
  ),
  TOO_DEEP: invalid('The JSON is nested too deeply.'),
  TOOL_NOT_FOUND: invalid('No connected server has a tool with this name.', 404),
  PROMPT_NOT_FOUND: invalid('No connected server has a prompt with this name.', 404),
  RESOURCE_NOT_FOUND: invalid('No connected server has a resource with this URI.', 404),
  TOOL_DISABLED: refused(403, 'The operator has disabled this tool.'),
  TOOL_WITHHELD: refused(403, 'The tool is new or has changed, and the operator has not approved it yet.'),
  OUT_OF_SCOPE: refused(
    403,
    'The scope of the agent token does not include this tool; the details list what it includes.',
  ),
  INVALID_STATE: invalid('The request state is invalid for this caller or this call, or it has expired.'),
  SERVER_UNAVAILABLE: failed(503, 'The server of the tool is not connected.'),
  SERVER_BUSY: failed(429, 'Too many calls are waiting for this server.'),
  OVERLOADED: failed(
    429,
    'Too many concurrent calls or large messages, of all clients or of this one; the call was not made.',
  ),
  UPSTREAM_FAILED: failed(502, 'The server returned a protocol error, or could not be reached.'),
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
    says: 'The connection was lost after dispatch, or the answer could not be read; the call may have run.',
  },
  RESULT_TOO_LARGE: {
    status: 502,
    exit: EXIT.general,
    outcome: 'unknown',
    says: 'The answer of the server exceeds the size limit; the call has run.',
  },
  DIALOG_REFUSED: failed(
    502,
    'The server asked for input with a dialog that imitates the approval dialog of the proxy, or that cannot be shown safely; it was not passed on.',
  ),
  ASK_REFUSED: failed(
    502,
    'The server needs something of the client (an answer, a model, roots) that the client cannot give, that the operator does not allow, or that was not given in time.',
  ),
  CANCELLED: {
    status: 499,
    exit: EXIT.general,
    outcome: 'unknown',
    says: 'The caller cancelled the call or disconnected after dispatch.',
  },
  AUDIT_UNAVAILABLE: failed(503, 'The activity log cannot be written, so the call was not made.'),
  RAN_UNRECORDED: {
    status: 500,
    exit: EXIT.general,
    outcome: 'unknown',
    says: 'The call has run, but its outcome could not be recorded, so its result is not returned. Check what it did before you repeat it.',
  },
  // A person decides
  POLICY_REFUSED: refused(403, 'The policy in approvals.require refuses this call.'),
  APPROVAL_PENDING: asked(
    409,
    'pending',
    'The call requires an approval, which is pending; repeat the identical call to get its result.',
  ),
  APPROVAL_DENIED: asked(403, 'denied', 'A person denied the call; the details include the reason.'),
  APPROVAL_EXPIRED: asked(403, 'expired', 'Nobody approved the call in time; it did not run.'),
  APPROVAL_CANCELLED: asked(
    409,
    'refused',
    'The caller cancelled the call before it was approved; it did not run.',
  ),
  APPROVAL_USED: asked(
    409,
    'refused',
    'Another request for the same call used the approval; the details name its record.',
  ),
  APPROVAL_MISMATCH: refused(
    409,
    'The approval does not match this call: the call, the tool or the policy has changed since.',
  ),
  APPROVAL_LIMIT: refused(
    429,
    'This caller has too many pending approval requests, or the call is too large to be shown to a person.',
  ),
  APPROVAL_FORBIDDEN: refused(
    403,
    'This credential or this interface may not decide on approvals, or the whole call was not read before the decision.',
  ),
  ROW_CHANGED: refused(
    403,
    'A stored approval or configuration was changed outside of mcpproxy, so its seal does not hold. It does not count, and the activity log has a record of it.',
  ),
  POLICY_BEHIND: refused(
    503,
    'This proxy may not have the newest configuration of the database, so the call was not made. It tries again by itself.',
  ),
  DATABASE_UNAVAILABLE: failed(503, 'The database cannot be written, or its server does not answer.'),
  // The request
  INVALID_REQUEST: invalid('A parameter or the body of the request is invalid.'),
  INVALID_JSON: invalid('The body is not valid JSON.'),
  UNAUTHORIZED: {
    status: 401,
    exit: EXIT.refused,
    outcome: 'refused',
    says: 'The API key or token is missing, wrong, expired or revoked.',
  },
  TOKEN_NOT_ALLOWED: refused(
    403,
    'This requires the operator key. An agent token gives access to /mcp, and to the task assistant if its scope includes it.',
  ),
  FORBIDDEN_HOST: refused(403, 'The Host or Origin header is not an address of this proxy.'),
  FORBIDDEN: refused(403, 'This credential does not permit this.'),
  NOT_FOUND: invalid('The route, server, record or tool does not exist.', 404),
  METHOD_NOT_ALLOWED: invalid('The route does not support this method.', 405),
  CONFLICT: invalid(
    'The name is already in use, or the object cannot be changed in its present state, or it changed while a call waited.',
    409,
  ),
  PAYLOAD_TOO_LARGE: invalid('The body is larger than the limit, or has too many keys or values.', 413),
  UNSUPPORTED_MEDIA_TYPE: invalid('The body must be application/json.', 415),
  TOO_MANY_REQUESTS: invalid('Too many failed log-ins or open connections; retry later.', 429),
  INTERNAL: failed(500, 'Internal error of the proxy; the log on stderr has the details.'),
  LOGIN_FAILED: failed(422, 'The log-in to a server failed; the message says why and what to do.'),
  // Starting up and the command line
  USAGE: invalid('The command line is invalid.'),
  CONFIG_INVALID: failed(
    400,
    'The configuration file is invalid; the message names file, line and key.',
    EXIT.config,
  ),
  LOG_BROKEN: failed(409, 'The activity log failed verification, so it is not moved, backed up or restored.'),
  BACKUP_UNUSABLE: failed(
    400,
    'The back-up cannot be restored: it is damaged, of another kind, or made by a newer version.',
  ),
  BACKUP_FAILED: failed(
    500,
    'A back-up could not be written, or not be put in place: the disk is full, a file cannot be written, or the database cannot be read.',
  ),
  PORT_IN_USE: failed(500, 'Another program listens on this address.', EXIT.portInUse),
  DATA_DIR_IN_USE: failed(500, 'Another mcpproxy process uses this data directory.', EXIT.dataDirInUse),
  NO_DAEMON: failed(503, 'No mcpproxy answers at this address.', EXIT.noDaemon),
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERRORS;

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(ERRORS, text);
}

const WITHOUT_STACK = new Set<ErrorCode>([
  'OVERLOADED',
  'SERVER_BUSY',
  'SERVER_UNAVAILABLE',
  'TOO_MANY_REQUESTS',
  'UPSTREAM_TIMEOUT',
]);

/** The one error type that rooms throw to each other. Each door renders it once: isError (mcp), status + JSON (http), exit code (cli). */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  readonly code: ErrorCode;
  readonly details: Record<string, unknown>;
  /** The message for agents, when the full one contains details for the operator only; see `errorForAgent`. */
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

/** The stderr of a server and the location of the database are for the operator only. */
const OPERATOR_DETAILS: ReadonlySet<string> = new Set(['last_error', 'reason', 'file', 'database']);

const SEE_LOG = 'The operator can find the reason in the log of the proxy and with: mcpproxy status';

/** The error as agents see it. The record and the operator get the full one. */
export function errorForAgent(error: ProxyError): ProxyError {
  const message = messageForAgent(error);
  if (message === undefined) return error;
  const shown = Object.entries(error.details).filter(([name]) => !OPERATOR_DETAILS.has(name));
  return new ProxyError(error.code, message, Object.fromEntries(shown)).withCause(error);
}

/** Undefined: agents may read the message. Messages of the database are never passed on, whatever their origin. */
function messageForAgent({ code, agentMessage }: ProxyError): string | undefined {
  if (agentMessage !== undefined) return agentMessage;
  if (code === 'DATABASE_UNAVAILABLE') return `The database of the proxy is not available. ${SEE_LOG}`;
  if (code === 'RAN_UNRECORDED')
    return `The tool has run, but its outcome could not be recorded, so its result is not returned. Check what it did before you repeat the call. ${SEE_LOG}`;
  if (code !== 'AUDIT_UNAVAILABLE') return undefined;
  return `The activity log cannot be written, so the call was not made. ${SEE_LOG}`;
}
