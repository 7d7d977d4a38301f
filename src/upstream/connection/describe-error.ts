import { ProxyError } from '../../contract/errors.ts';
import { httpStatusOf } from '../transport/http-connect.ts';

const CODES: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused; is the server running?',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name could not be looked up',
  ECONNRESET: 'the connection was reset',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  UND_ERR_CONNECT_TIMEOUT: 'no connection within its connect_timeout',
  UND_ERR_HEADERS_TIMEOUT: 'no answer within 30 s',
};

/** Why a connection could not be made, in words that name the cause and not the layer that noticed. */
export function describeError(error: unknown): string {
  if (error instanceof ProxyError) return error.message;
  const status = httpStatusOf(error);
  if (status === 401 || status === 403)
    return `the server refuses the credentials (HTTP ${status}); check its "headers" in the configuration`;
  const known = codesOf(error).find((code) => Object.hasOwn(CODES, code));
  if (known) return `${CODES[known]} (${known})`;
  if (!(error instanceof Error)) return String(error);
  return status === undefined ? error.message || error.name : `${error.message} (HTTP ${status})`;
}

/** The codes of an error and of everything that caused it. */
function codesOf(error: unknown, depth = 0): string[] {
  if (!(error instanceof Error) || depth > 5) return [];
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  const inner = error instanceof AggregateError ? error.errors.flatMap((one) => codesOf(one, depth + 1)) : [];
  return [...(typeof code === 'string' ? [code] : []), ...inner, ...codesOf(cause, depth + 1)];
}
