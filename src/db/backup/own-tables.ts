import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type Migration,
} from 'kysely';

/** The tables that these migrations create, found by recording their statements. Other programs may have tables in the same schema. */
export async function ownTables(migrations: Record<string, Migration>): Promise<Set<string>> {
  const found = new Set(['kysely_migration', 'kysely_migration_lock']);
  const kysely = new Kysely<unknown>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    log({ query: { sql } }) {
      const name = /^\s*create table (?:if not exists )?"?(\w+)/i.exec(sql)?.[1];
      if (name) found.add(name);
    },
  });
  for (const migration of Object.values(migrations)) await migration.up(kysely);
  return found;
}
