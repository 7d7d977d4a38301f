import { join, resolve } from 'node:path';
import type { Config } from '../contract/config.ts';
import { ProxyError } from '../contract/errors.ts';
import { resolveSecrets } from './secrets.ts';

/** `sqlite:PATH`, relative to the data directory, or a PostgreSQL URL with its secrets put in: to be opened, never to be shown. */
export function databaseOf(
  config: Pick<Config, 'database_url'>,
  dataDir: string,
): { file: string } | { url: string } {
  if (!config.database_url) return { file: join(dataDir, 'mcpproxy.db') };
  const url = resolveDatabaseUrl(config.database_url);
  if (url.startsWith('sqlite:')) return { file: resolve(dataDir, url.replace(/^sqlite:(\/\/(?=\/))?/, '')) };
  if (/^postgres(ql)?:\/\//.test(url) && URL.canParse(url)) return { url };
  throw new ProxyError(
    'CONFIG_INVALID',
    'database_url must be sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE, with special characters of the password percent-encoded',
  );
}

/** A reference inside a URL stands for one part of it, so what it refers to is encoded; one that is the whole URL is taken as it is. */
function resolveDatabaseUrl(text: string): string {
  if (/^\$\{[^}]+\}$/.test(text)) return resolveSecrets(text).trim();
  return text.replace(/\$\{[^}]+\}/g, (reference) => encodeURIComponent(resolveSecrets(reference)));
}
