/** The door of this folder: other folders import from here and nowhere else. */
export { findApiKey, readApiKey } from './api-key.ts';
export { ensureDataDir, lockDataDir, readDaemon, type DataDirLock } from './data-dir.ts';
export {
  defaultSettings,
  diffConfig,
  flattenConfig,
  serverOf,
  type FlatConfig,
  type SettingChange,
} from './diff-config.ts';
export { salvageDaemonLocation, type DaemonLocation } from './file/salvage.ts';
export { aliasFor } from './file/server-alias.ts';
export { writeFileAtomically } from './file/write-file.ts';
export { loadConfig } from './load.ts';
export { isSensitive, maskedArguments, maskedUrl } from './mask-target.ts';
export { configJsonSchema, parseConfig } from './parse.ts';
export { resolveSecrets } from './secrets.ts';
export { databaseOf, dataDirOf, readSettings, type Flags } from './settings.ts';
export { showConfig, showServer, showSettings } from './show.ts';
export { createConfigStore, type ConfigOrigin, type ConfigStore } from './store.ts';
