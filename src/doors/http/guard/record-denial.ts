import type { IncomingMessage } from 'node:http';
import type { BadRequests } from '../../../log/index.ts';
import type { ProxyError } from '../../../contract/errors.ts';
import { pathOf } from './guard.ts';

/** Where calls are approved, however the address is written. */
const APPROVING = /[/\\](approvals|grants)([/\\]|$)/i;

/**
 * A credential that does not open what it was shown to is recorded, without the credential. A missing one is only refused. Every attempt
 * of a token to approve, or to read what waits, has a record of its own, and its answer waits for that record: an agent has no more of them
 * under way than it may have connections.
 */
export function recordDenial(
  badRequests: BadRequests,
  req: IncomingMessage,
  { code, message, details }: ProxyError,
  requestId: string,
): Promise<void> | undefined {
  if (details.refused === undefined) return undefined;
  const { token, token_id: tokenId } = details;
  const path = pathOf(req);
  const isNamed = typeof token === 'string';
  return badRequests.add(
    { record: code, message },
    {
      principal: isNamed ? `token:${token}` : 'unknown',
      ...(!isNamed && { stranger: req.socket.remoteAddress ?? 'unknown' }),
      always: isNamed && APPROVING.test(path),
      ...(typeof tokenId === 'string' && { tokenId }),
      requestId,
      client: req.headers['user-agent']?.slice(0, 200),
      excerpt: () => `${req.method} ${path}`,
    },
    path === '/mcp' ? 'mcp' : 'api',
  );
}
