import type { IncomingMessage } from 'node:http';
import type { BadRequests } from '../../../log/index.ts';
import type { ProxyError } from '../../../contract/errors.ts';
import { pathOf } from './guard.ts';

/** A credential that does not open what it was shown to is recorded, without the credential. A missing one is only refused. */
export function recordDenial(
  badRequests: BadRequests,
  req: IncomingMessage,
  { code, message, details }: ProxyError,
  requestId: string,
): void {
  if (details.refused === undefined) return;
  const { token, token_id: tokenId } = details;
  const path = pathOf(req);
  badRequests.add(
    { record: code, message },
    {
      principal: typeof token === 'string' ? `token:${token}` : 'unknown',
      ...(typeof tokenId === 'string' && { tokenId }),
      requestId,
      client: req.headers['user-agent']?.slice(0, 200),
      excerpt: () => `${req.method} ${path}`,
    },
    path === '/mcp' ? 'mcp' : 'api',
  );
}
