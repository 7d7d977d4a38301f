import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Place } from '../../doors/cli/index.ts';
import type { ErrorBody } from '../../contract/error-body.ts';
import { isErrorCode, ProxyError } from '../../contract/errors.ts';

/** A running daemon and its data directory. */
export interface Located {
  url: string;
  dataDir: string;
  /** Why the daemon does not use the configuration file as it is. */
  warning?: string;
}

export type Reported = Located | ErrorBody;

const PROGRAM = fileURLToPath(new URL('./background-process.js', import.meta.url));
/** It waits for a daemon that is ending, then starts. */
const PATIENCE_MS = 90_000;

/**
 * Starts a daemon in the background, unless one runs on the data directory, and returns its address. The daemon is no child of a client:
 * it survives this process, and ends some time after the last one that needs it.
 */
export async function spawnDaemon({ config, dataDir }: Place): Promise<Located> {
  const child = spawn(process.execPath, [PROGRAM], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      ...withoutToken(process.env),
      ...(config && { MCPPROXY_CONFIG: config }),
      ...(dataDir && { MCPPROXY_DATA_DIR: dataDir }),
    },
  });
  const lines = createInterface({ input: child.stdout });
  try {
    const line = await new Promise<string>((resolve, reject) => {
      const late = () => reject(failed(`did not listen within ${PATIENCE_MS / 1000} s`));
      const timer = setTimeout(late, PATIENCE_MS).unref();
      lines.once('line', resolve);
      child.once('error', (cause) => reject(failed(`cannot be started: ${cause.message}`)));
      child.once('close', (code) => reject(failed(`ended with exit code ${code} before it listened`)));
      child.once('close', () => clearTimeout(timer));
    });
    return locatedOf(JSON.parse(line) as Reported);
  } finally {
    lines.close();
    child.stdout.destroy();
    child.unref();
  }
}

/** The token is for the messages of a client; the daemon and the search for it do not need it. */
export function withoutToken(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { MCPPROXY_TOKEN: _token, MCPPROXY_TOKEN_FILE: _file, ...rest } = env;
  return rest;
}

function locatedOf(reported: Reported): Located {
  if (!('error' in reported)) return reported;
  const { code, message, details } = reported.error;
  throw new ProxyError(isErrorCode(code) ? code : 'INTERNAL', message, details);
}

function failed(why: string): ProxyError {
  return new ProxyError(
    'NO_DAEMON',
    `The daemon ${why}. Start it with "mcpproxy serve" to see why, or read background.log in its data directory`,
  );
}
