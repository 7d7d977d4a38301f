import type { Command } from 'commander';
import { define, type Bind } from '../../define.ts';
import { dbBackup } from './db-backup.ts';
import { dbMigrate } from './db-migrate.ts';
import { dbRestore } from './db-restore.ts';

export function db(bind: Bind): Command {
  return define('db', {
    summary: 'Back up, restore and move the database of the proxy',
    examples: [
      'mcpproxy db backup /backups/mcpproxy.backup',
      'mcpproxy db restore /backups/mcpproxy.backup',
      'mcpproxy db migrate --to-file ~/.pgurl',
    ],
    globals: ['output', 'config', 'dataDir'],
    subcommands: [dbBackup(bind), dbRestore(bind), dbMigrate(bind)],
  });
}
