import { ProxyError } from '../../contract/errors.ts';
import { TOKEN_PREFIX } from '../../contract/token.ts';
import { hasValidChecksum } from '../../token/secret.ts';

/** The agent token from `MCPPROXY_TOKEN`. Other users cannot read the environment, unlike the command line. */
export function agentToken(env: NodeJS.ProcessEnv): string | undefined {
  const token = env.MCPPROXY_TOKEN;
  if (!token) return undefined;
  if (hasValidChecksum(token)) return token;
  const problem = token.startsWith(TOKEN_PREFIX)
    ? 'is mistyped or cut off: its checksum is wrong'
    : `is not an agent token, which begins with ${TOKEN_PREFIX}`;
  throw new ProxyError('USAGE', `MCPPROXY_TOKEN ${problem}`, { key: 'MCPPROXY_TOKEN' });
}
