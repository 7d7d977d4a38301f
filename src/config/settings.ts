import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { Config } from '../contract/config.ts';
import { ProxyError } from '../contract/errors.ts';

/** What the command line says. Absent: the environment, then the file, then the defaults. */
export interface Flags {
  listen?: string;
  config?: string;
  dataDir?: string;
  apiKey?: string;
  /** False only for `--no-mcp-auth`. */
  mcpAuth?: false;
}

/** Values that stand above the file, whatever it says now or later. */
export type Overrides = Partial<
  Pick<Config, 'listen' | 'data_dir' | 'database_url' | 'api_key' | 'require_mcp_auth'>
>;

export interface Settings {
  configFile: string;
  /** Where the data is when neither flag nor environment nor file names a place. */
  defaultDataDir: string;
  overrides: Overrides;
}

/** A flag beats the environment, which beats the file. */
export function readSettings(flags: Flags, env: NodeJS.ProcessEnv): Settings {
  const overrides: Overrides = {};
  const listen = flags.listen ?? text(env.MCPPROXY_LISTEN);
  const dataDir = flags.dataDir ?? text(env.MCPPROXY_DATA_DIR);
  const databaseUrl = text(env.MCPPROXY_DATABASE_URL);
  const apiKey = flags.apiKey ?? text(env.MCPPROXY_API_KEY);
  if (listen) overrides.listen = listen;
  if (dataDir) overrides.data_dir = resolve(dataDir);
  if (databaseUrl) overrides.database_url = databaseUrl;
  if (apiKey) overrides.api_key = apiKey;
  if (flags.mcpAuth === false) overrides.require_mcp_auth = false;
  checkOverrides(overrides);

  const defaultDataDir = join(homedir(), '.mcpproxy');
  const configFile =
    flags.config ??
    text(env.MCPPROXY_CONFIG) ??
    join(overrides.data_dir ?? defaultDataDir, 'mcp_config.json');
  return { configFile: resolve(configFile), defaultDataDir, overrides };
}

/** The data directory of a configuration; `~` at the start is the home directory. */
export function dataDirOf(
  config: Pick<Config, 'data_dir'>,
  { defaultDataDir }: Pick<Settings, 'defaultDataDir'>,
): string {
  const dir = config.data_dir;
  if (!dir) return defaultDataDir;
  return resolve(dir === '~' || dir.startsWith('~/') ? join(homedir(), dir.slice(1)) : dir);
}

/** Checked apart from the file, so that the complaint does not point there. */
function checkOverrides(overrides: Overrides): void {
  for (const [key, value] of Object.entries(overrides)) {
    const parsed = Config.shape[key as keyof Overrides].safeParse(value);
    if (!parsed.success) {
      const source = `--${key.replaceAll('_', '-')} or MCPPROXY_${key.toUpperCase()}`;
      throw new ProxyError('USAGE', `${source}: ${parsed.error.issues[0]!.message}`, { key });
    }
  }
}

function text(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}
