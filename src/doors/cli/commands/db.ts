import type { Command } from 'commander';
import { define, type Bind } from '../define.ts';
import { dbMigrate } from './db-migrate.ts';

export function db(bind: Bind): Command {
  return define('db', {
    summary: 'The database of the proxy',
    examples: [
      'mcpproxy db migrate --to-file ~/.pgurl',
      'mcpproxy db migrate --to-file ~/.pgurl --from ./backup.db',
    ],
    globals: ['output', 'config', 'dataDir'],
    subcommands: [dbMigrate(bind)],
  });
}
