import { ProxyError } from '../../contract/errors.ts';
import { visibleLine } from '../../lib/visible-text.ts';

const MAX_TEXT = 500;

/** Why a log-in is not possible, in words that may be shown. Texts of authorization servers go through `quoted` first. */
export class LoginError extends Error {
  override readonly name = 'LoginError';
}

/** The server wants a log-in: nothing but a person, or other settings, can help. */
export class LoginNeeded extends Error {
  override readonly name = 'LoginNeeded';
}

/** A text of another party, safe to show. */
export function quoted(text: string): string {
  return visibleLine(text.slice(0, MAX_TEXT));
}

/** The error of the REST API for a log-in that failed. */
export function loginFailed(server: string, error: unknown): ProxyError {
  if (error instanceof ProxyError) return error;
  return new ProxyError('LOGIN_FAILED', `The log-in to server '${server}' failed: ${reasonOf(error)}`, {
    server,
  }).withCause(error);
}

/** Errors of the SDK quote the answer of the authorization server. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return quoted(String(error));
  if (error.name === 'ZodError') return 'the authorization server gave an answer of the wrong shape';
  const { code } = error as { code?: unknown };
  const prefix = error.name === 'OAuthError' && typeof code === 'string' ? `${code}: ` : '';
  return quoted(prefix + (error.message || error.name));
}
