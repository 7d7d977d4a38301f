/** The process that uses a data directory, found without the schemas of the configuration: commands that only need the daemon load no more. */
export { ensureDataDir, isInUse, lockDataDir, type DataDirLock } from './data-dir.ts';
export { daemonFile, readDaemon, type Daemon } from './daemon-file.ts';
export { isAlive, userOf } from './process-identity.ts';
export { readSmallFile } from '../read-small-file.ts';
export { findRunning, textDigest } from './running.ts';
export { announceClient, countClients } from './stdio-clients.ts';
export { announceSuccessor, hasSuccessor } from './successor.ts';
