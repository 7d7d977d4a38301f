/** The door of this folder: other folders import from here and nowhere else. */
export { findApiKey, readApiKey } from './api-key.ts';
export { ensureDataDir, lockDataDir, readDaemon, type DataDirLock } from './data-dir.ts';
export { databaseOf } from './database-place.ts';
export {
  defaultSettings,
  diffConfig,
  flattenConfig,
  serverOf,
  type FlatConfig,
  type SettingChange,
} from './diff-config.ts';
export { salvagePlace, type DaemonPlace } from './file/salvage.ts';
export { aliasFor } from './file/server-alias.ts';
export { writeFileAtomically } from './file/write-file.ts';
export { configJsonSchema } from './json-schema.ts';
export { loadConfig } from './load.ts';
export { isSensitive, maskedArguments, maskedUrl } from './mask-target.ts';
export { parseConfig } from './parse.ts';
export { resolveSecrets } from './secrets.ts';
export { dataDirOf, readSettings, type Flags } from './settings.ts';
export { showConfig, showServer, showSettings } from './show.ts';
export { createConfigStore, type ConfigOrigin, type ConfigStore } from './store.ts';
