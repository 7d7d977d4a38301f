import type { Identity } from '../../../contract/call.ts';
import { ProxyError } from '../../../contract/errors.ts';
import { visibleLine } from '../../../lib/visible-text.ts';
import type { TokenScope } from '../../../contract/token.ts';
import type { Presented } from '../../../token/index.ts';

/** What is said to a request without a good credential. `details.refused` marks those that are recorded. */
export function missingKey(): ProxyError {
  return new ProxyError(
    'UNAUTHORIZED',
    'The API key is missing: send it, or the token of an agent, as "X-API-Key: KEY" or "Authorization: Bearer KEY"',
  );
}

const WRONG = {
  key: 'The API key is wrong; it is kept in the data directory of the proxy',
  damaged: 'The token is mistyped or cut off: its checksum is wrong',
  unknown: 'This proxy knows no such token; the operator makes one with "mcpproxy tokens create"',
} as const;

export type WrongKey = keyof typeof WRONG;

/** `wait`: seconds, once there were too many. */
export function wrongKey(what: WrongKey, wait: number, says: string = WRONG[what]): ProxyError {
  if (wait === 0) return new ProxyError('UNAUTHORIZED', says, { refused: what });
  return new ProxyError(
    'TOO_MANY_REQUESTS',
    `The key or token is wrong, and so were too many before it; try again in ${wait} s`,
    { refused: what, retry_after_s: wait },
  );
}

export function endedToken({ state, id, name, at }: Extract<Presented, { id: string }>): ProxyError {
  return new ProxyError(
    'UNAUTHORIZED',
    `Token '${name}' ${state === 'revoked' ? 'was revoked' : 'expired'} at ${visibleLine(at)}; ask the operator for a new one`,
    { refused: state, token: name, token_id: id },
  );
}

/** A token where it opens nothing. */
export function onlyMcp({ token }: Identity): ProxyError {
  return new ProxyError(
    'TOKEN_NOT_ALLOWED',
    `Token '${token!.name}' is for ${purposeOf(token!.scope)} and nothing else. Administration and approvals need the key of the operator`,
    { refused: 'token', token: token!.name, token_id: token!.id },
  );
}

function purposeOf({ assistant, metrics }: TokenScope): string {
  if (metrics) return 'monitoring: it opens /metrics';
  return `an agent: it opens ${assistant ? '/mcp and the task assistant' : '/mcp'}`;
}
