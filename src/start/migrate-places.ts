import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { MigrateOptions, Place } from '../doors/cli/index.ts';
import { dataDirOf, databaseOf, loadConfig, parseConfig, readSettings } from '../config/index.ts';
import type { Config } from '../contract/config.ts';
import { ProxyError } from '../contract/errors.ts';

/** The source and the destination of a migration. */
export interface Places {
  dataDir: string;
  configFile: string;
  file: string;
  url: string;
}

/** For this command, the database in the environment is the destination. */
export function readPlaces(place: Place, { to, toFile, from }: MigrateOptions): Places {
  const { MCPPROXY_DATABASE_URL: inEnvironment, ...environment } = process.env;
  const settings = readSettings(place, environment);
  const config = existsSync(settings.configFile)
    ? loadConfig(settings.configFile, settings.overrides).config
    : parseConfig('{}', settings.configFile, settings.overrides);
  const dataDir = dataDirOf(config, settings);
  const file = from === undefined ? sourceOf(config, dataDir) : resolve(from);
  if (!existsSync(file))
    throw new ProxyError('USAGE', `The database ${file} does not exist. Name the source with --from`, {
      file,
    });
  return {
    dataDir,
    configFile: settings.configFile,
    file,
    url: targetOf({ to, toFile, inEnvironment, config, dataDir }),
  };
}

/** If the configuration already names the destination, the source is the default file. */
function sourceOf(config: Config, dataDir: string): string {
  const named = config.database_url === undefined ? undefined : databaseOf(config, dataDir);
  return named && 'file' in named ? named.file : join(dataDir, 'mcpproxy.db');
}

function targetOf(given: {
  to: string | undefined;
  toFile: string | undefined;
  inEnvironment: string | undefined;
  config: Config;
  dataDir: string;
}): string {
  const { to, toFile, inEnvironment, config, dataDir } = given;
  const text = to ?? (toFile === undefined ? inEnvironment || config.database_url : readUrl(toFile));
  const target = text === undefined ? undefined : databaseOf({ database_url: text }, dataDir);
  if (target && 'url' in target) return target.url;
  throw new ProxyError(
    'USAGE',
    'The destination is missing: set MCPPROXY_DATABASE_URL to postgres://USER:PASSWORD@HOST:PORT/DATABASE, write it to a file and name the file with --to-file, or use --to without a password',
  );
}

function readUrl(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (cause) {
    throw new ProxyError('USAGE', `Cannot read ${file}: ${(cause as Error).message}`, { file }).withCause(
      cause,
    );
  }
}
