import { Migrator, type Kysely, type Migration } from 'kysely';
import { ProxyError } from '../contract/errors.ts';
import type { Log } from '../lib/log.ts';
import { activity } from './migrations/0001-activity.ts';
import { knownTools } from './migrations/0002-known-tools.ts';
import { tasks } from './migrations/0003-tasks.ts';
import { acceptedTools } from './migrations/0004-accepted-tools.ts';
import { seal } from './migrations/0005-seal.ts';
import { series } from './migrations/0006-series.ts';

/** In order of their names. A migration that has been released is never changed: the next one corrects it. */
const MIGRATIONS: Record<string, Migration> = {
  '0001-activity': activity,
  '0002-known-tools': knownTools,
  '0003-tasks': tasks,
  '0004-accepted-tools': acceptedTools,
  '0005-seal': seal,
  '0006-series': series,
};

/** Brings the database up to date in one transaction. */
export async function migrate<T>(kysely: Kysely<T>, file: string, log: Log): Promise<void> {
  const migrator = new Migrator({ db: kysely, provider: { getMigrations: async () => MIGRATIONS } });
  const { error, results = [] } = await migrator.migrateToLatest();
  for (const { migrationName, status } of results) {
    if (status === 'Success') log.debug({ migration: migrationName }, 'database migrated');
  }
  if (error === undefined) return;
  const why = error instanceof Error ? error.message : JSON.stringify(error);
  throw new ProxyError(
    'INTERNAL',
    `The database ${file} cannot be brought up to date: ${why}. It may come from a newer mcpproxy, or be damaged; move it away to start with an empty one`,
    { file },
    { cause: error },
  );
}
