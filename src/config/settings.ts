import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { Config } from '../contract/config.ts';
import { ProxyError } from '../contract/errors.ts';
import { issueText } from '../contract/issue-text.ts';
import { resolveSecrets } from './secrets.ts';

/** The flags of the command line. The environment, the file and the defaults follow in this order. */
export interface Flags {
  listen?: string;
  workers?: number | 'auto';
  config?: string;
  dataDir?: string;
  apiKey?: string;
  /** False only for `--no-mcp-auth`. */
  mcpAuth?: false;
}

/** Values that take precedence over the file, also after it changes. */
export type Overrides = Partial<
  Pick<Config, 'listen' | 'data_dir' | 'database_url' | 'api_key' | 'require_mcp_auth' | 'workers'>
>;

export interface Settings {
  configFile: string;
  /** The data directory where neither a flag nor the environment nor the file names one. */
  defaultDataDir: string;
  overrides: Overrides;
}

/** A flag takes precedence over the environment, and the environment over the file. */
export function readSettings(flags: Flags, env: NodeJS.ProcessEnv): Settings {
  const overrides = readOverrides(flags, env);
  checkOverrides(overrides);
  const configFile =
    flags.config ??
    text(env.MCPPROXY_CONFIG) ??
    join(overrides.data_dir ?? defaultDataDir(), 'mcp_config.json');
  return { configFile: resolve(configFile), defaultDataDir: defaultDataDir(), overrides };
}

function readOverrides(flags: Flags, env: NodeJS.ProcessEnv): Overrides {
  const overrides: Overrides = {};
  const listen = flags.listen ?? text(env.MCPPROXY_LISTEN);
  const dataDir = flags.dataDir ?? text(env.MCPPROXY_DATA_DIR);
  const databaseUrl = text(env.MCPPROXY_DATABASE_URL);
  const apiKey = flags.apiKey ?? text(env.MCPPROXY_API_KEY);
  if (listen) overrides.listen = listen;
  if (flags.workers !== undefined) overrides.workers = flags.workers;
  if (dataDir) overrides.data_dir = resolve(dataDir);
  if (databaseUrl) overrides.database_url = databaseUrl;
  if (apiKey) overrides.api_key = apiKey;
  if (flags.mcpAuth === false) overrides.require_mcp_auth = false;
  return overrides;
}

export const defaultDataDir = () => join(homedir(), '.mcpproxy');

/** The data directory of a configuration; `~` at the start is the home directory. */
export function dataDirOf(
  config: Pick<Config, 'data_dir'>,
  { defaultDataDir }: Pick<Settings, 'defaultDataDir'>,
): string {
  const dir = config.data_dir;
  if (!dir) return defaultDataDir;
  return resolve(dir === '~' || dir.startsWith('~/') ? join(homedir(), dir.slice(1)) : dir);
}

/** The SQLite file, relative to the data directory, or the PostgreSQL URL with its secrets: never to be shown. */
export function databaseOf(
  config: Pick<Config, 'database_url'>,
  dataDir: string,
): { file: string } | { url: string } {
  if (!config.database_url) return { file: join(dataDir, 'mcpproxy.db') };
  const url = resolveDatabaseUrl(config.database_url);
  if (url.startsWith('sqlite:')) return { file: resolve(dataDir, url.replace(/^sqlite:(\/\/(?=\/))?/, '')) };
  if (isPostgresUrl(url)) return { url };
  throw new ProxyError(
    'CONFIG_INVALID',
    'database_url must be sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE, with special characters of the password percent-encoded',
  );
}

/** Several hosts may stand in it, each with its port. */
function isPostgresUrl(url: string): boolean {
  const [, before, hosts, rest] = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s.exec(url) ?? [];
  if (hosts === undefined) return false;
  return hosts.split(',').every((host) => URL.canParse(`${before}${host}${rest}`));
}

/** The value of a reference inside a URL is encoded; a reference that is the whole URL is not. */
function resolveDatabaseUrl(text: string): string {
  if (/^\$\{[^}]+\}$/.test(text)) return resolveSecrets(text).trim();
  return text.replace(/\$\{[^}]+\}/g, (reference) => encodeURIComponent(resolveSecrets(reference)));
}

/** Checked separately from the file, so that the error names the flag and the variable. */
function checkOverrides(overrides: Overrides): void {
  for (const [key, value] of Object.entries(overrides)) {
    const parsed = Config.shape[key as keyof Overrides].safeParse(value);
    if (!parsed.success) {
      const source = `--${key.replaceAll('_', '-')} or MCPPROXY_${key.toUpperCase()}`;
      throw new ProxyError('USAGE', `${source}: ${issueText(parsed.error.issues[0]!)}`, { key });
    }
  }
}

function text(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}
