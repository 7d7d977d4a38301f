import { existsSync } from 'node:fs';
import {
  createConfigStore,
  dataDirOf,
  databaseOf,
  loadConfig,
  parseConfig,
  readSettings,
  salvageDaemonLocation,
  type ConfigStore,
  type DaemonLocation,
  type Flags,
} from '../config/index.ts';
import { ProxyError } from '../contract/errors.ts';
import type { Config } from '../contract/config.ts';
import type { DatabaseLocation } from '../db/index.ts';
import type { Log } from '../lib/log.ts';

/** An installation: its configuration, data directory and database. */
export interface Installation {
  config: ConfigStore;
  dataDir: string;
  /** Resolved on demand: a command that only uses a daemon does not need the password of the database. */
  readonly database: DatabaseLocation;
}

export function openInstallation(flags: Flags, options: { watch: boolean; log: Log }): Installation {
  const settings = readSettings(flags, process.env);
  const config = createConfigStore({ settings, ...options });
  const dataDir = dataDirOf(config.current(), settings);
  return {
    config,
    dataDir,
    get database() {
      return databaseOf(config.current(), dataDir);
    },
  };
}

/** An installation with an invalid configuration file: only the path to its daemon is known. */
export interface Salvaged extends DaemonLocation {
  invalid: ProxyError;
}

export function openOrSalvage(flags: Flags, options: { watch: boolean; log: Log }): Installation | Salvaged {
  return orSalvage(flags, () => openInstallation(flags, options));
}

function orSalvage<T>(flags: Flags, open: () => T): T | Salvaged {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof ProxyError) || error.code !== 'CONFIG_INVALID') throw error;
    return { ...salvageDaemonLocation(readSettings(flags, process.env)), invalid: error };
  }
}

/** An installation, read without creating anything. */
export interface Found {
  config: Config;
  dataDir: string;
  database: DatabaseLocation;
}

/** The same for commands that only read: missing files are not created. */
export function readOrSalvage(flags: Flags): Found | Salvaged {
  return orSalvage(flags, () => readInstallation(flags));
}

function readInstallation(flags: Flags): Found {
  const settings = readSettings(flags, process.env);
  const { configFile, overrides } = settings;
  const config = existsSync(configFile)
    ? loadConfig(configFile, overrides).config
    : parseConfig('{}', configFile, overrides);
  const dataDir = dataDirOf(config, settings);
  return { config, dataDir, database: databaseOf(config, dataDir) };
}
