import { ANY_KIND, type ActivityType, type Clause } from '../../../contract/activity.ts';
import { isNameClause } from '../../query/clauses.ts';
import { operationCondition, typeCondition } from '../../record/row.ts';
import type { Values } from './sql-values.ts';

type Sql = (value: string, values: Values) => string;

/** As the generated columns have the text of a JSON string. */
export const written = (text: string) => JSON.stringify(text).slice(1, -1).slice(0, COLUMN_LENGTH);
export const COLUMN_LENGTH = 256;

const OF_FACET: Partial<Record<Clause['field'], Sql>> = {
  status: (value, values) =>
    value === 'pending' ? `f.status IN ('pending', 'held')` : `f.status = ${values.of(value)}`,
  type: (value, values) => typeCondition(value as ActivityType, values.of(value)),
  op: (value, values) => operationCondition(values.of(value)),
  server: (value, values) => isServer('f', value, values),
  tool: (value, values) => isTool('f', value, values),
};

const isServer = (table: 'f' | 'a', value: string, values: Values) =>
  `${table}.server_name = ${values.of(value)}`;

function isTool(table: 'f' | 'a', value: string, values: Values): string {
  const wanted = values.of(value);
  return `(${table}.tool_name = ${wanted} OR ${table}.server_name || ':' || ${table}.tool_name = ${wanted})`;
}

const isDecider: Sql = (value, values) =>
  `(a.decided_by = ${values.of(written(value))} AND (f.status = 'success' OR a.metadata ~ '"(decided|granted)_by":'))`;

/** The cast is made for the few records that have the field. */
function hasKind(name: 'secrets_sent' | 'secrets_received'): Sql {
  const has = `position('"${name}":[' in a.metadata) > 0`;
  return (value, values) =>
    value === ANY_KIND
      ? has
      : `CASE WHEN ${has} THEN jsonb_exists(a.metadata::jsonb -> '${name}', ${values.of(value)}) ELSE FALSE END`;
}

const OF_ROW: Partial<Record<Clause['field'], Sql>> = {
  agent: (value, values) => `a.principal = ${values.of(written(value))}`,
  client(value, values) {
    const wanted = values.of(value.slice(0, COLUMN_LENGTH));
    return `(a.client = ${wanted} OR a.client_program = ${wanted})`;
  },
  code: (value, values) => `a.error_code = ${values.of(value)}`,
  session: (value, values) => `a.session_id = ${values.of(value)}`,
  request: (value, values) => `a.request_id = ${values.of(value)}`,
  conversation: (value, values) => `a.conversation_id = ${values.of(value)}`,
  approval: (value, values) => `a.approval_id = ${values.of(written(value))}`,
  decider: isDecider,
  secret: hasKind('secrets_sent'),
  received_secret: hasKind('secrets_received'),
};

/** A comparison with an absent value is unknown in SQL; here it is false. */
function condition({ values: wanted, exclude }: Clause, sql: Sql, values: Values): string {
  const any = wanted.map((value) => sql(value, values)).join(' OR ');
  return `coalesce((${any}), FALSE) = ${exclude ? 'FALSE' : 'TRUE'}`;
}

/** What the facets tell, as `f`; where one is unlisted, the names in the record decide. */
export const facetClauses = (clauses: readonly Clause[], values: Values): string[] =>
  clauses.flatMap((clause) => {
    const sql = OF_FACET[clause.field];
    if (!sql) return [];
    const own = condition(clause, sql, values);
    return [isNameClause(clause) ? `(f.unlisted = 1 OR ${own})` : own];
  });

/** What only the record itself tells, as `a`. */
export const rowClauses = (clauses: readonly Clause[], values: Values): string[] =>
  clauses.flatMap((clause) => {
    if (isNameClause(clause)) {
      const sql: Sql = (value) =>
        clause.field === 'server' ? isServer('a', value, values) : isTool('a', value, values);
      return [`(f.unlisted = 0 OR ${condition(clause, sql, values)})`];
    }
    const sql = OF_ROW[clause.field];
    return sql ? [condition(clause, sql, values)] : [];
  });
