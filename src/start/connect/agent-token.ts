import { readSmallFile } from '../../config/daemon/index.ts';
import { ProxyError } from '../../contract/errors.ts';
import { TOKEN_PREFIX } from '../../contract/token.ts';
import { fileProblem } from '../../lib/visible-text.ts';
import { hasValidChecksum } from '../../token/secret.ts';

const MAX_BYTES = 1024;

/**
 * The agent token from `MCPPROXY_TOKEN`, or from the file that `MCPPROXY_TOKEN_FILE` names. Other users cannot read the environment, unlike
 * the command line. A file that cannot be read is an error: without its token the client would act as operator.
 */
export function agentToken(env: NodeJS.ProcessEnv): string | undefined {
  const token = env.MCPPROXY_TOKEN ?? tokenOfFile(env.MCPPROXY_TOKEN_FILE);
  if (token === undefined) return undefined;
  if (token === '') throw emptyToken();
  if (hasValidChecksum(token)) return token;
  const problem = token.startsWith(TOKEN_PREFIX)
    ? 'is mistyped or cut off: its checksum is wrong'
    : `is not an agent token, which begins with ${TOKEN_PREFIX}`;
  throw new ProxyError('USAGE', `MCPPROXY_TOKEN ${problem}`, { key: 'MCPPROXY_TOKEN' });
}

function tokenOfFile(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  try {
    const token = readSmallFile(file, MAX_BYTES).trim();
    if (token !== '') return token;
  } catch (error) {
    throw unreadable(file, fileProblem(error)).withCause(error);
  }
  throw unreadable(file, 'it is empty');
}

/** Usually a variable that is not set where the client runs. Without a token the client would act as operator. */
function emptyToken(): ProxyError {
  return new ProxyError(
    'USAGE',
    'MCPPROXY_TOKEN is set but empty. Set it to the token of the client, or unset it to act as operator',
    { key: 'MCPPROXY_TOKEN' },
  );
}

function unreadable(file: string, why: string): ProxyError {
  return new ProxyError(
    'USAGE',
    `The token cannot be read from ${file}, which MCPPROXY_TOKEN_FILE names: ${why}. To give the client a new one, run "mcpproxy connect CLIENT"`,
    { key: 'MCPPROXY_TOKEN_FILE' },
  );
}
