import { clientProgram, type RecordFilter } from '../../../contract/activity.ts';
import { COLUMN_LENGTH, facetClauses, rowClauses, written } from './clauses.ts';
import type { Values } from './sql-values.ts';
import { namesOf } from '../../counts/facets.ts';
import { operationCondition, typeCondition } from '../../record/row.ts';
import { marksOf } from '../../query/text-marks.ts';
import { columnOf, ID_FIELDS, WHO, type WhoColumn } from '../../query/plan.ts';
import { isMarked } from '../write/words.ts';

/** The condition that excludes nothing. */
export const ANY = 'TRUE';
const all = (conditions: string[]) => (conditions.length === 0 ? ANY : conditions.join(' AND '));

/** Which facets can match, as `f`; where one is unlisted, the names in the record decide. */
export function facetConditions(filter: RecordFilter, values: Values): string {
  const conditions: string[] = [];
  if (filter.type !== undefined) conditions.push(typeCondition(filter.type, values.of(filter.type)));
  if (filter.status === 'pending') conditions.push(`f.status IN ('pending', 'held')`);
  else if (filter.status !== undefined) conditions.push(`f.status = ${values.of(filter.status)}`);
  if (filter.intent_type !== undefined) conditions.push(operationCondition(values.of(filter.intent_type)));
  if (isNamed(filter)) conditions.push(`(f.unlisted = 1 OR ${nameCondition('f', filter, values)})`);
  conditions.push(...facetClauses(filter.clauses ?? [], values));
  return all(conditions);
}

export const isNamed = (filter: RecordFilter) => filter.server !== undefined || filter.tool !== undefined;

function nameCondition(table: 'f' | 'a', filter: RecordFilter, values: Values): string {
  const choices = namesOf(filter).map(({ server, tool }) =>
    all([
      ...(server === null ? [] : [`${table}.server_name = ${values.of(server)}`]),
      ...(tool === null ? [] : [`${table}.tool_name = ${values.of(tool)}`]),
    ]),
  );
  return `(${choices.map((choice) => `(${choice})`).join(' OR ')})`;
}

const WHO_CONDITIONS: Record<WhoColumn, (wanted: string, values: Values) => string> = {
  principal: (wanted, values) => `a.principal = ${values.of(written(wanted))}`,
  approval_id: (wanted, values) => `a.approval_id = ${values.of(written(wanted))}`,
  // Decisions of earlier versions name the person only as principal; one that failed was not decided.
  decided_by: (wanted, values) =>
    `(a.decided_by = ${values.of(written(wanted))} AND (f.status = 'success' OR a.metadata ~ '"(decided|granted)_by":'))`,
  client: (wanted, values) => {
    const value = values.of(wanted.slice(0, COLUMN_LENGTH));
    return `(a.client = ${value} OR a.client_program = ${value})`;
  },
};

/** Which records the index of the column finds; `rowConditions` tests the rest. */
export function columnCondition(filter: RecordFilter, values: Values): string {
  const column = columnOf(filter) ?? (filter.principal === undefined ? 'client' : 'principal');
  const wanted = filter[column]!;
  if (column !== 'client') return `a.${column} = ${values.of(written(wanted))}`;
  const programs = [wanted, clientProgram(wanted)].map((name) => values.of(name.slice(0, COLUMN_LENGTH)));
  return `a.client_program IN (${programs.join()})`;
}

/** What is asked of the record itself, as `a`, beside its facet, as `f`, and its time. */
export function rowConditions(filter: RecordFilter, values: Values): string {
  const conditions = ID_FIELDS.flatMap((name) =>
    filter[name] === undefined ? [] : [`a.${name} = ${values.of(filter[name])}`],
  );
  for (const name of WHO)
    if (filter[name] !== undefined) conditions.push(WHO_CONDITIONS[name](filter[name], values));
  if (isNamed(filter)) conditions.push(`(f.unlisted = 0 OR ${nameCondition('a', filter, values)})`);
  conditions.push(...rowClauses(filter.clauses ?? [], values));
  return all(conditions);
}

/** The filter as a query for the index of words. Not everything is in it: what it leaves out, or finds by a hash, is tested as well. */
export function wordQuery(filter: RecordFilter, words: Iterable<string>, isReindexed: boolean): string {
  const { server: _server, tool: _tool, status, ...others } = filter;
  const known = isReindexed ? others : withoutLater(others);
  const marks = marksOf({ ...known, ...(status !== undefined && isMarked(status) && { status }) });
  const terms = [...words, ...marks].map(quoted);
  if (isNamed(filter)) {
    const choices = namesOf(filter).map((names) => marksOf(names).map(quoted).join(' & '));
    terms.push(`(${choices.map((choice) => `(${choice})`).join(' | ')})`);
  }
  return terms.join(' & ');
}

/** The filter uses marks that records of earlier versions lack or have in another form until all are reindexed. */
export const usesNewMarks = ({ type, intent_type: operation, principal, client }: RecordFilter): boolean =>
  [type, operation, principal, client].some((value) => value !== undefined);

function withoutLater(filter: RecordFilter): RecordFilter {
  const { type: _type, intent_type: _operation, principal: _principal, client: _client, ...others } = filter;
  return others;
}

const quoted = (word: string) => `'${word.replace(/['\\]/g, '$&$&')}'`;
