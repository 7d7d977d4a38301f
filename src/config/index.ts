/** The door of this folder: other folders import from here and nowhere else. */
export { RECORDED_NAME, configDigestKey } from './change/accepted.ts';
export { judgeChanges, recordedChange, type JudgedChange } from './change/judge-changes.ts';
export { findApiKey, readApiKey } from './api-key.ts';
export {
  announceSuccessor,
  ensureDataDir,
  hasSuccessor,
  isInUse,
  lockDataDir,
  readDaemon,
  type DataDirLock,
} from './daemon/index.ts';
export { lastListen, rememberListen } from './last-listen.ts';
export {
  defaultSettings,
  flattenConfig,
  serverOf,
  type FlatConfig,
  type FlatSetting,
} from './diff-config.ts';
export { salvageDaemonLocation, type DaemonLocation } from './file/salvage.ts';
export { aliasFor } from './file/server-alias.ts';
export { temporaryFor, writeFileAtomically } from './file/write-file.ts';
export { checkConfigFile, loadConfig } from './load.ts';
export { isSensitive, maskedArguments } from './mask-target.ts';
export { isRandom, isServiceKey, maskedAddress, REFERENCE, replaceMasked } from './masked-parts.ts';
export { checkJson, configJsonSchema, parseConfig } from './parse.ts';
export { readSmallFile } from './read-small-file.ts';
export { isNamedWithin, isReallyWithin } from './real-path.ts';
export { resolveSecrets } from './secrets.ts';
export { databaseOf, dataDirOf, readSettings, type Flags } from './settings.ts';
export { localSettings, serverText } from './shared/compose.ts';
export {
  authorSource,
  type ConfigAuthor,
  type RevisionDraft,
  type RevisionKeeper,
  type SharedRevision,
} from './shared/revision.ts';
export { showConfig, showServer, showSettings } from './show.ts';
export { createConfigStore } from './store.ts';
export type { ConfigOrigin, ConfigStore, ReplaceOptions, SharedPlan } from './config-store.ts';
