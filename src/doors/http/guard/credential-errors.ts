import type { Identity } from '../../../contract/call.ts';
import { ProxyError } from '../../../contract/errors.ts';
import type { Clock } from '../../../lib/clock.ts';
import { visibleLine } from '../../../lib/visible-text.ts';
import type { TokenScope } from '../../../contract/token.ts';
import type { TokenLookup } from '../../../token/index.ts';

/** Errors for requests without a valid credential. `details.refused` marks those that are recorded. */
export function missingKey(): ProxyError {
  return new ProxyError(
    'UNAUTHORIZED',
    'The API key is missing: send it, or an agent token, as "X-API-Key: KEY" or "Authorization: Bearer KEY"',
  );
}

const WRONG = {
  key: 'The API key is wrong; it is kept in the data directory of the proxy',
  damaged: 'The token is mistyped or cut off: its checksum is wrong',
  unknown: 'Unknown token; the operator creates one with "mcpproxy tokens create"',
} as const;

export type WrongKey = keyof typeof WRONG;

/** `wait`: the seconds to wait, once there were too many. */
export function wrongKey(what: WrongKey, wait: number, message: string = WRONG[what]): ProxyError {
  if (wait === 0) return new ProxyError('UNAUTHORIZED', message, { refused: what });
  return new ProxyError(
    'TOO_MANY_REQUESTS',
    `Too many wrong keys or tokens from this address; try again in ${wait} s`,
    { refused: what, retry_after_s: wait },
  );
}

export function inactiveToken(token: Extract<TokenLookup, { id: string }>): ProxyError {
  const { state, id, name } = token;
  return new ProxyError(
    'UNAUTHORIZED',
    `Token '${visibleLine(name)}' ${whyInactive(token)}; ask the operator for a new one`,
    { refused: state, token: name, token_id: id },
  );
}

function whyInactive(token: Extract<TokenLookup, { id: string }>): string {
  if (token.state === 'invalid') return 'does not count: its row was changed outside of mcpproxy';
  return `${token.state === 'revoked' ? 'was revoked' : 'expired'} at ${visibleLine(token.at)}`;
}

/** For a token on a route that its scope does not permit. */
export function tokenNotAllowed({ token }: Identity): ProxyError {
  return new ProxyError(
    'TOKEN_NOT_ALLOWED',
    `Token '${token!.name}' is for ${purposeOf(token!.scope)} and nothing else. Administration and approvals need the operator's API key`,
    { refused: 'token', token: token!.name, token_id: token!.id },
  );
}

function purposeOf({ assistant, metrics }: TokenScope): string {
  if (metrics) return 'monitoring: it opens /metrics';
  return `an agent: it opens ${assistant ? '/mcp and the task assistant' : '/mcp'}`;
}

const WINDOW_MS = 60_000;
const LIMIT = 10;
const MAX_SOURCES = 10_000;

/** Counts wrong keys per source address. Only failing requests are rate limited: a valid key always passes. */
export interface FailedLogins {
  /** Counts one failure; returns the seconds to wait once there were too many, otherwise 0. */
  add(source: string): number;
}

export function createFailedLogins(clock: Clock): FailedLogins {
  const sources = new Map<string, { count: number; since: number }>();
  return {
    add(source) {
      const now = clock.now();
      const known = sources.get(source);
      const current = known && now - known.since < WINDOW_MS ? known : { count: 0, since: now };
      current.count += 1;
      // Re-inserted, so that the map is ordered by age and the oldest source is dropped first.
      sources.delete(source);
      sources.set(source, current);
      if (sources.size > MAX_SOURCES) sources.delete(sources.keys().next().value!);
      return current.count > LIMIT ? Math.max(1, Math.ceil((current.since + WINDOW_MS - now) / 1000)) : 0;
    },
  };
}
