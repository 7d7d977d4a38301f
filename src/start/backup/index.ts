/** The door of this folder: other folders import from here and nowhere else. */
export { dbBackup } from './db-backup.ts';
export { dbRestore } from './db-restore.ts';
