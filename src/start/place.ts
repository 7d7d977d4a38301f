import { createConfigStore, type ConfigStore } from '../config/store.ts';
import { databaseFileOf, dataDirOf, readSettings, type Flags } from '../config/settings.ts';
import type { Log } from '../lib/log.ts';

/** Which installation is meant: its configuration, its data directory, its database. */
export interface Installation {
  config: ConfigStore;
  dataDir: string;
  databaseFile: string;
}

export function openInstallation(flags: Flags, options: { watch: boolean; log: Log }): Installation {
  const settings = readSettings(flags, process.env);
  const config = createConfigStore({ settings, ...options });
  const dataDir = dataDirOf(config.current(), settings);
  return { config, dataDir, databaseFile: databaseFileOf(config.current(), dataDir) };
}
