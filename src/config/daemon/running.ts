import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { readDaemon } from './daemon-file.ts';
import { readConfigText } from '../file/config-text.ts';

/** A daemon that uses the configuration file as it is now. */
export interface RunningDaemon {
  url: string;
  dataDir: string;
  /** The key that somebody chose for this command. */
  key?: string;
}

/** Names the text of a configuration file, for the comparison with the one that a daemon uses. */
export function textDigest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

interface Chosen {
  config?: string;
  dataDir?: string;
  apiKey?: string;
}

/**
 * Finds the daemon of a command without the schemas of the configuration: a file that a daemon has validated needs no second check.
 * Undefined where there is more to decide, such as other settings in the environment, an edited file or no daemon.
 */
export function findRunning(flags: Chosen, env: NodeJS.ProcessEnv): RunningDaemon | undefined {
  const key = flags.apiKey ?? env.MCPPROXY_API_KEY;
  if (needsMore(env, key)) return undefined;
  const { isChosen, dataDir, file } = placesOf(flags, env);
  const { url, config } = readDaemon(dataDir) ?? {};
  if (!url || config?.file !== file) return undefined;
  const text = textOf(file);
  if (text === undefined || config.digest !== textDigest(text)) return undefined;
  // The file may name another data directory.
  if (!isChosen && NAMES_DATA_DIR.test(text)) return undefined;
  return { url, dataDir, ...(key && { key }) };
}

function placesOf(flags: Chosen, env: NodeJS.ProcessEnv) {
  const chosen = flags.dataDir ?? env.MCPPROXY_DATA_DIR;
  const dataDir = chosen ? resolve(chosen) : join(homedir(), '.mcpproxy');
  const file = resolve(flags.config ?? (env.MCPPROXY_CONFIG || join(dataDir, 'mcp_config.json')));
  return { isChosen: Boolean(chosen), dataDir, file };
}

/** Whether settings or credentials of the environment have to be checked. */
function needsMore(env: NodeJS.ProcessEnv, key: string | undefined): boolean {
  if (env.MCPPROXY_LISTEN || env.MCPPROXY_DATABASE_URL) return true;
  const hasToken = env.MCPPROXY_TOKEN !== undefined || env.MCPPROXY_TOKEN_FILE !== undefined;
  return key ? !PLAIN_KEY.test(key) : hasToken;
}

/** Long enough, and no reference to another place. */
const PLAIN_KEY = /^[\w-]{32,}$/;
/** The name itself, or any escaped letter, which could be part of it. */
const NAMES_DATA_DIR = /data_dir|\\u/;

function textOf(file: string): string | undefined {
  try {
    return readConfigText(file);
  } catch {
    return undefined;
  }
}
