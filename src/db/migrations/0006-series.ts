import { sql, type Kysely, type Migration } from 'kysely';

const COLUMNS = ['read', 'write', 'destructive', 'other', 'refused', 'errors'].map((name) => `n_${name}`);

/** How many records were opened in each minute and hour since 1970, for charts. `at` fits into 32 bits. */
const create = (table: string) =>
  `CREATE TABLE ${table} (at INTEGER PRIMARY KEY, ${COLUMNS.map((name) => `${name} INTEGER NOT NULL`).join()})`;

/** Once, for the records that are there already. */
const fill = (table: string, unitMs: number) => `
  INSERT INTO ${table} SELECT a.ts / ${unitMs},
    sum(CASE WHEN f.operation_type = 'read' THEN 1 ELSE 0 END),
    sum(CASE WHEN f.operation_type = 'write' THEN 1 ELSE 0 END),
    sum(CASE WHEN f.operation_type = 'destructive' THEN 1 ELSE 0 END),
    sum(CASE WHEN f.operation_type IS NULL THEN 1 ELSE 0 END),
    sum(CASE WHEN f.status IN ('refused', 'denied', 'expired') THEN 1 ELSE 0 END),
    sum(CASE WHEN f.status IN ('error', 'unknown') THEN 1 ELSE 0 END)
  FROM activity a JOIN activity_facet f ON f.id = a.facet_id GROUP BY a.ts / ${unitMs}`;

const UNITS = [
  ['activity_minute', 60_000],
  ['activity_hour', 3_600_000],
] as const;

export const series: Migration = {
  async up(db: Kysely<unknown>) {
    for (const [table, unitMs] of UNITS)
      for (const statement of [create(table), fill(table, unitMs)]) await sql.raw(statement).execute(db);
  },
};
