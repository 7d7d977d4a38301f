import type { IncomingMessage } from 'node:http';
import { UNNAMED, type BadRequests } from '../../../log/index.ts';
import type { ProxyError } from '../../../contract/errors.ts';
import { requestIdOf } from '../answer.ts';
import { isMcpPath, pathOf } from './guard.ts';

/** Paths of approvals, however the address is written. */
const APPROVAL_PATH = /[/\\](approvals|grants)([/\\]|$)/i;

/**
 * Records a request whose credential is wrong or does not permit it, without the credential. A missing credential is not recorded. Every
 * attempt of a token to read or decide approvals has its own record, and its answer waits for that record; the limit of connections
 * bounds how many an agent has in progress.
 */
export function recordDenial(
  badRequests: BadRequests,
  { req, address }: { req: IncomingMessage; address: string },
  { code, message, details }: ProxyError,
): Promise<void> | undefined {
  if (details.refused === undefined) return undefined;
  const { token, token_id: tokenId } = details;
  const path = pathOf(req);
  const isNamed = typeof token === 'string';
  return badRequests.add(
    { record: code, message },
    {
      principal: isNamed ? `token:${token}` : UNNAMED,
      address,
      always: isNamed && APPROVAL_PATH.test(path),
      ...(typeof tokenId === 'string' && { tokenId }),
      requestId: requestIdOf(req),
      client: req.headers['user-agent']?.slice(0, 200),
      excerpt: () => `${req.method} ${path}`,
    },
    isMcpPath(path) ? 'mcp' : 'api',
  );
}
