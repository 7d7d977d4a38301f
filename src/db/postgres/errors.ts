import { ProxyError } from '../../contract/errors.ts';

/** Why it went wrong, in words. An error for several addresses has no message of its own. */
export function errorReason(cause: unknown): string {
  if (cause instanceof AggregateError && !cause.message)
    return [...new Set(cause.errors.map((error) => errorReason(error)))].join('; ');
  return cause instanceof Error ? cause.message || errorCode(cause) || cause.name : String(cause);
}

export function errorCode(cause: unknown): string {
  const { code } = (cause ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : '';
}

/** Classes of SQLSTATE that concern the server and not the statement: connection, resources, operator, system. */
const SERVER_TROUBLE = new Set(['08', '53', '57', '58', 'XX']);
/** Read-only after a failover; idle transaction ended by the server; lock not available. */
const TROUBLE = new Set(['25006', '25P03', '55P03']);

/**
 * The server, or the way to it, failed. A statement that ran into a time limit of its own counts as well: it says nothing about what it
 * asked for. What PostgreSQL says no to (a constraint, a syntax) does not.
 */
export function isServerFailure(cause: unknown): boolean {
  const code = errorCode(cause);
  if (/^[0-9A-Z]{5}$/.test(code)) return SERVER_TROUBLE.has(code.slice(0, 2)) || TROUBLE.has(code);
  return cause instanceof Error && !(cause instanceof TypeError) && !(cause instanceof ProxyError);
}

/** The connection ended; a statement that ran out of its time would do so again. */
export function wasCut(error: unknown): boolean {
  const code = errorCode(error);
  return (
    isServerFailure(error) &&
    (/^(57P0|08|ECONN|EPIPE)/.test(code) || /Connection terminated/i.test(errorReason(error)))
  );
}

export function unavailable(place: string, cause: unknown): ProxyError {
  return new ProxyError(
    'DATABASE_UNAVAILABLE',
    `The database ${place} does not answer (${errorReason(cause)}). Check that the server runs and can be reached. mcpproxy reconnects automatically`,
    { database: place },
  ).withCause(cause);
}

/** Errors of a first connection that a retry does not fix: the URL names something that is missing or not allowed. */
const NEXT_STEPS: Record<string, string> = {
  '28P01': 'check the user and the password in database_url',
  '28000': 'check the user in database_url, and pg_hba.conf on the server',
  '3D000': 'create the database first: CREATE DATABASE name OWNER user',
  '42501': 'let this user create tables: GRANT CREATE ON SCHEMA public TO user',
  '25006': 'this server takes no writes; name the primary server in database_url',
  ENOTFOUND: 'check the host name in database_url',
};

export function openError(place: string, error: unknown): ProxyError {
  // A migration that failed tells why in its cause.
  const cause = error instanceof ProxyError && error.cause !== undefined ? error.cause : error;
  const step = NEXT_STEPS[errorCode(cause)];
  if (step)
    return new ProxyError('CONFIG_INVALID', `The database ${place} refuses: ${errorReason(cause)}; ${step}`, {
      database: place,
    });
  if (error instanceof ProxyError) return error;
  return new ProxyError(
    'DATABASE_UNAVAILABLE',
    `The database ${place} cannot be reached: ${errorReason(cause)}. Start the server, or correct database_url`,
    { database: place },
  ).withCause(cause);
}
