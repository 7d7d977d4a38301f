import { databaseOf } from '../config/database-place.ts';
import { createConfigStore, type ConfigStore } from '../config/store.ts';
import { dataDirOf, readSettings, type Flags } from '../config/settings.ts';
import type { DatabasePlace } from '../db/database.ts';
import type { Log } from '../lib/log.ts';

/** Which installation is meant: its configuration, its data directory, its database. */
export interface Installation {
  config: ConfigStore;
  dataDir: string;
  database: DatabasePlace;
}

export function openInstallation(flags: Flags, options: { watch: boolean; log: Log }): Installation {
  const settings = readSettings(flags, process.env);
  const config = createConfigStore({ settings, ...options });
  const dataDir = dataDirOf(config.current(), settings);
  return { config, dataDir, database: databaseOf(config.current(), dataDir) };
}
