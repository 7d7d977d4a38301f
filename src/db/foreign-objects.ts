import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import type pg from 'pg';
import { visibleLine } from '../lib/visible-text.ts';
import { ownTables } from './backup/own-tables.ts';
import { migrationsOf } from './migrate.ts';

/**
 * No migration makes a trigger, view, rule or row-level security policy. With one, somebody who can write the database can give one
 * reader other rows than another, or change rows back before a check. The functions return a description of the first one found.
 */
const describe = (kind: string, name: string, table?: string) =>
  visibleLine(`the ${kind} "${name}"${table === undefined || table === name ? '' : ` on "${table}"`}`);

/** The statement decides: `type` does not tell a virtual table from another one. */
const OWN = /^CREATE (TABLE|INDEX|UNIQUE INDEX) |^CREATE VIRTUAL TABLE activity_text /;

export function foreignInSqlite(sqlite: Pick<DatabaseSyncInstance, 'prepare'>): string | undefined {
  const stored = sqlite
    .prepare(
      `SELECT type, name, tbl_name AS "table", coalesce(sql, '') AS sql FROM sqlite_master ORDER BY name`,
    )
    .all() as Array<{ type: string; name: string; table: string; sql: string }>;
  // Indexes of constraints have no statement.
  const found = stored.find(({ sql }) => sql !== '' && !OWN.test(sql));
  return found && describe(found.type, found.name, found.table);
}

/** As the server resolves the names of our tables, in whichever schema. Names are qualified, so that no other schema can replace them. */
const FOREIGN = `
  WITH own AS (
    SELECT c.oid, c.relname, c.relkind, c.relrowsecurity OR c.relforcerowsecurity AS secured
    FROM pg_catalog.unnest($1::text[]) AS wanted (name)
    JOIN pg_catalog.pg_class c ON c.oid = pg_catalog.to_regclass(pg_catalog.quote_ident(wanted.name)))
  SELECT kind, name::text, "table"::text FROM (
    SELECT 'relation (not an ordinary table)' AS kind, relname AS name, relname AS "table" FROM own WHERE relkind <> 'r'
    UNION ALL
    SELECT 'row-level security policy', polname, relname FROM pg_catalog.pg_policy JOIN own ON own.oid = polrelid
    UNION ALL
    SELECT 'row-level security of the table', relname, relname FROM own WHERE secured
    UNION ALL
    SELECT 'trigger', tgname, relname FROM pg_catalog.pg_trigger JOIN own ON own.oid = tgrelid WHERE NOT tgisinternal
    UNION ALL
    SELECT 'rule', rulename, relname FROM pg_catalog.pg_rewrite JOIN own ON own.oid = ev_class WHERE relkind = 'r'
    UNION ALL
    SELECT 'inheriting table', c.relname, own.relname FROM pg_catalog.pg_inherits JOIN own ON own.oid = inhparent
      JOIN pg_catalog.pg_class c ON c.oid = inhrelid
  ) AS found LIMIT 1`;

export async function foreignInPostgres(client: Pick<pg.ClientBase, 'query'>): Promise<string | undefined> {
  const own = await ownTables(migrationsOf('postgres'));
  const { rows } = await client.query<{ kind: string; name: string; table: string }>(FOREIGN, [[...own]]);
  return rows[0] && describe(rows[0].kind, rows[0].name, rows[0].table);
}
