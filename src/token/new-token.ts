import { durationMs } from '../contract/config.ts';
import { ProxyError } from '../contract/errors.ts';
import { OperationType } from '../contract/operation.ts';
import { TOKEN_NEVER, type NewToken } from '../contract/token.ts';
import type { TokensTable } from '../db/index.ts';
import { newId } from '../lib/clock.ts';
import { glob } from '../lib/pattern.ts';
import { looksLikeSecret } from './secret.ts';
import { MAX_TOKENS } from './token-store.ts';

export function newTokenRow(
  { name, operations, servers, tools, assistant, metrics, mode, expires, user }: NewToken,
  { by, now, digest }: { by: string; now: number; digest: string },
): TokensTable {
  const scope = {
    operations: OperationType.options.filter((each) => (metrics ? ['read'] : operations).includes(each)),
    ...(servers && { servers: unique(servers) }),
    ...(tools && { tools: unique(tools) }),
    ...(assistant && { assistant }),
    ...(metrics && { metrics }),
    ...(mode && { mode }),
  };
  return {
    id: newId(),
    name,
    digest,
    scope: JSON.stringify(scope),
    user_id: user,
    created_at: new Date(now).toISOString(),
    created_by: by,
    expires_at: expires === TOKEN_NEVER ? null : new Date(now + durationMs(expires)).toISOString(),
    revoked_at: null,
    revoked_by: null,
    last_used_at: null,
    seal: null,
  };
}

/** Rejects restrictions that can never hold together: they are a mistake. */
export function checkRestrictions({ servers, tools, assistant, metrics }: NewToken): void {
  if (metrics && (servers ?? tools ?? assistant))
    throw new ProxyError(
      'INVALID_REQUEST',
      'A token for metrics gives access to /metrics only: omit servers, tools and assistant, or create two tokens',
      { in: 'body', parameter: 'metrics' },
    );
  for (const tool of servers ? (tools ?? []) : []) {
    const server = tool.slice(0, tool.indexOf(':'));
    if (server.includes('*') || servers!.some((pattern) => glob(pattern)(server))) continue;
    throw new ProxyError(
      'INVALID_REQUEST',
      `tools names '${tool}', but servers does not list '${server}', and both must match: add the server, or omit servers`,
      { in: 'body', parameter: 'tools' },
    );
  }
}

function unique(list: string[]): string[] {
  return [...new Set(list)];
}

export function notCreated(why: 'name' | 'full', name: string): ProxyError {
  return why === 'name'
    ? new ProxyError(
        'CONFLICT',
        `There is a token '${name}' already. Replace it (--replace, or "replace": true over REST), revoke it, or choose another name`,
        { name },
      )
    : new ProxyError(
        'CONFLICT',
        `There are ${MAX_TOKENS} tokens already; revoke some that are no longer used`,
        {
          limit: MAX_TOKENS,
        },
      );
}

export function tokenNotFound(given: string, names: string[]): ProxyError {
  if (looksLikeSecret(given))
    return new ProxyError(
      'INVALID_REQUEST',
      'This is a token itself, which must not appear in a command line or URL: give its name or id',
      { parameter: 'id' },
    );
  const shown = given.slice(0, 100);
  const hint = names.length > 0 ? `Existing tokens: ${names.slice(0, 20).join(', ')}` : 'There are no tokens';
  return new ProxyError('NOT_FOUND', `There is no token '${shown}'. ${hint}`, { token: shown });
}
