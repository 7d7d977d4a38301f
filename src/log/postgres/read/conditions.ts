import type { ActivityFilter } from '../../../contract/activity.ts';
import { namesOf } from '../../counts/facets.ts';
import { clientCondition, operationCondition, principalCondition, typeCondition } from '../../record/row.ts';
import { marksOf } from '../../query/text-marks.ts';
import { ID_FIELDS } from '../../query/plan.ts';
import { isMarked } from '../write/words.ts';

/** Values of a statement, in the order of their numbers. */
export interface Values {
  readonly list: unknown[];
  /** Gives the parameter that stands for a value. */
  of(value: unknown): string;
}

export function createValues(): Values {
  const list: unknown[] = [];
  return { list, of: (value) => `$${list.push(value)}` };
}

/** The condition that excludes nothing. */
export const ANY = 'TRUE';
const all = (conditions: string[]) => (conditions.length === 0 ? ANY : conditions.join(' AND '));

/** Which facets can match, as `f`; where one is unlisted, the names in the record decide. */
export function facetConditions(filter: ActivityFilter, values: Values): string {
  const conditions: string[] = [];
  if (filter.type !== undefined) conditions.push(typeCondition(filter.type, values.of(filter.type)));
  if (filter.status === 'pending') conditions.push(`f.status IN ('pending', 'held')`);
  else if (filter.status !== undefined) conditions.push(`f.status = ${values.of(filter.status)}`);
  if (filter.intent_type !== undefined) conditions.push(operationCondition(values.of(filter.intent_type)));
  if (isNamed(filter)) conditions.push(`(f.unlisted = 1 OR ${nameCondition('f', filter, values)})`);
  return all(conditions);
}

export const isNamed = (filter: ActivityFilter) => filter.server !== undefined || filter.tool !== undefined;

function nameCondition(table: 'f' | 'a', filter: ActivityFilter, values: Values): string {
  const choices = namesOf(filter).map(({ server, tool }) =>
    all([
      ...(server === null ? [] : [`${table}.server_name = ${values.of(server)}`]),
      ...(tool === null ? [] : [`${table}.tool_name = ${values.of(tool)}`]),
    ]),
  );
  return `(${choices.map((choice) => `(${choice})`).join(' OR ')})`;
}

/** What is asked of the record itself, as `a`, beside its facet, as `f`, and its time. */
export function rowConditions(filter: ActivityFilter, values: Values): string {
  const conditions = ID_FIELDS.flatMap((name) =>
    filter[name] === undefined ? [] : [`a.${name} = ${values.of(filter[name])}`],
  );
  if (filter.principal !== undefined) conditions.push(principalCondition(values.of(filter.principal)));
  if (filter.client !== undefined) conditions.push(clientCondition(values.of(filter.client)));
  if (isNamed(filter)) conditions.push(`(f.unlisted = 0 OR ${nameCondition('a', filter, values)})`);
  return all(conditions);
}

/** The filter as a query for the index of words. Not everything is in it: what it leaves out, or finds by a hash, is tested as well. */
export function wordQuery(filter: ActivityFilter, words: Iterable<string>, isReindexed: boolean): string {
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
export const usesNewMarks = ({ type, intent_type: operation, principal, client }: ActivityFilter): boolean =>
  [type, operation, principal, client].some((value) => value !== undefined);

function withoutLater(filter: ActivityFilter): ActivityFilter {
  const { type: _type, intent_type: _operation, principal: _principal, client: _client, ...others } = filter;
  return others;
}

const quoted = (word: string) => `'${word.replace(/['\\]/g, '$&$&')}'`;
