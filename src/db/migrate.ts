import { Migrator, sql, type Kysely, type Migration } from 'kysely';
import { ProxyError } from '../contract/errors.ts';
import type { Log } from '../lib/log.ts';
import type { Engine } from './any-database.ts';
import { activity } from './migrations/0001-activity.ts';
import { activityOnPostgres } from './migrations/0001-activity-postgres.ts';
import { probe } from './migrations/0001-probe.ts';
import { knownTools } from './migrations/0002-known-tools.ts';
import { tasks } from './migrations/0003-tasks.ts';
import { acceptedTools } from './migrations/0004-accepted-tools.ts';
import { seal } from './migrations/0005-seal.ts';
import { series } from './migrations/0006-series.ts';
import { tokens } from './migrations/0007-tokens.ts';
import { conversations } from './migrations/0008-conversations.ts';
import { approvals } from './migrations/0009-approvals.ts';
import { endedSessions, stateKey } from './migrations/0010-state-key.ts';
import { approvalCalls } from './migrations/0011-approval-calls.ts';
import { rejectedTools } from './migrations/0012-rejected-tools.ts';
import { whoOnPostgres, whoOnSqlite } from './migrations/0014-who.ts';
import { decisionsOnPostgres, decisionsOnSqlite } from './migrations/0013-decisions.ts';
import { rowSeals } from './migrations/0015-row-seals.ts';
import {
  repeatedDecisionsOnPostgres,
  repeatedDecisionsOnSqlite,
} from './migrations/0016-repeated-decisions.ts';
import { serverLogins } from './migrations/0017-server-logins.ts';
import { backgroundCalls } from './migrations/0019-background-calls.ts';
import { relay } from './migrations/anywhere/0022-relay.ts';
import { configRevisions } from './migrations/anywhere/0023-config-revisions.ts';
import { dropCallerIndexes } from './migrations/anywhere/0024-caller-indexes.ts';

/** The same on both engines, or one form for each; an engine that is not named does not have it. */
type OneOrEach = Migration | Partial<Record<Engine, Migration>>;

/** In order of their names. A migration that has been released is never changed: the next one corrects it. */
const MIGRATIONS: Record<string, OneOrEach> = {
  '0001-activity': { sqlite: activity, postgres: activityOnPostgres },
  '0001-probe': { postgres: probe },
  '0002-known-tools': knownTools,
  '0003-tasks': tasks,
  '0004-accepted-tools': acceptedTools,
  '0005-seal': { sqlite: seal },
  '0006-series': { sqlite: series },
  '0007-tokens': tokens,
  '0008-conversations': conversations,
  '0009-approvals': approvals,
  '0010-state-key': stateKey,
  '0011-approval-calls': approvalCalls,
  '0012-rejected-tools': rejectedTools,
  '0013-decisions': { sqlite: decisionsOnSqlite, postgres: decisionsOnPostgres },
  '0014-who': { sqlite: whoOnSqlite, postgres: whoOnPostgres },
  '0015-row-seals': rowSeals,
  '0016-repeated-decisions': { sqlite: repeatedDecisionsOnSqlite, postgres: repeatedDecisionsOnPostgres },
  '0017-server-logins': serverLogins,
  '0018-ended-sessions': endedSessions,
  '0019-background-calls': backgroundCalls,
  '0022-relay': relay,
  '0023-config-revisions': configRevisions,
  '0024-caller-indexes': { sqlite: dropCallerIndexes },
};

export interface MigrateParts<T> {
  engine: Engine;
  kysely: Kysely<T>;
  place: string;
  log: Log;
  /** These instead of all; and the schema of PostgreSQL in which they run. */
  only?: Record<string, Migration>;
  schema?: string;
}

/** Brings the database up to date in one transaction. On PostgreSQL a lock makes proxies that start together take turns. */
export async function migrate<T>({
  engine,
  kysely,
  place,
  log,
  only,
  schema,
}: MigrateParts<T>): Promise<void> {
  const migrations = only ?? migrationsOf(engine);
  const made = await madeMigrations(kysely);
  const unknown = made.filter((name) => !(name in migrations));
  if (unknown.length > 0 && only === undefined) throw newer(place, unknown);
  if (made.length === Object.keys(migrations).length && unknown.length === 0) return;
  const migrator = new Migrator({
    db: kysely,
    provider: { getMigrations: async () => migrations },
    ...(schema && { migrationTableSchema: schema }),
  });
  const { error, results = [] } = await migrator.migrateToLatest();
  for (const { migrationName, status } of results) {
    if (status === 'Success') log.debug({ migration: migrationName }, 'database migrated');
  }
  if (error !== undefined) throw failure(place, error);
}

function failure(place: string, error: unknown): ProxyError {
  if (error instanceof ProxyError) return error;
  const why = error instanceof Error ? error.message : JSON.stringify(error);
  return new ProxyError(
    'INTERNAL',
    `The database ${place} cannot be brought up to date: ${why}; it may be damaged. Restore a back-up with "mcpproxy db restore FILE --replace", or use another place to start with an empty one`,
    { database: place },
  ).withCause(error);
}

/** Nearly every start finds a database that is up to date, and need not wait for the migrator to find that out in its thorough way. */
async function madeMigrations<T>(kysely: Kysely<T>): Promise<string[]> {
  try {
    const { rows } = await sql<{ name: string }>`SELECT name FROM kysely_migration`.execute(kysely);
    return rows.map(({ name }) => name);
  } catch {
    return []; // a new database; what else may be wrong with it, the migrator will say
  }
}

/** A database is migrated forward and never back. */
function newer(place: string, unknown: readonly string[]): ProxyError {
  return new ProxyError(
    'INTERNAL',
    `The database ${place} was written by a newer mcpproxy (${unknown.join(', ')}), and this version does not change it. Install the newer version again, or restore a back-up of this version: mcpproxy db restore FILE --replace`,
    { database: place },
  );
}

/** `made`: the rows of `kysely_migration`. */
export function isUpToDate(engine: Engine, made: ReadonlyArray<{ name: string }>): boolean {
  const known = migrationsOf(engine);
  return made.length === Object.keys(known).length && made.every(({ name }) => name in known);
}

export function migrationsOf(engine: Engine): Record<string, Migration> {
  const named = Object.entries(MIGRATIONS).map(([name, migration]) => [
    name,
    'up' in migration ? migration : migration[engine],
  ]);
  return Object.fromEntries(named.filter(([, migration]) => migration !== undefined)) as Record<
    string,
    Migration
  >;
}

/** Those that only a newer version has. */
export function unknownMigrations(engine: Engine, names: readonly string[]): string[] {
  const known = migrationsOf(engine);
  return names.filter((name) => !(name in known));
}
