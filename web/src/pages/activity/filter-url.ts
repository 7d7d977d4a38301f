import {
  FilterTextError,
  filterText,
  parseFilterText,
  type Clause,
  type ClauseField,
  type ParsedFilter,
} from '../../../../src/contract/activity.ts';
import { timeOf, type Edge } from '../../../../src/contract/time.ts';

/** Parameters that links of other pages and of earlier versions have. */
const PARAMETERS: Record<string, ClauseField> = {
  intent_type: 'op',
  status: 'status',
  server: 'server',
  tool: 'tool',
  type: 'type',
  principal: 'agent',
  client: 'client',
  approval_id: 'approval',
  decided_by: 'decider',
  session_id: 'session',
  request_id: 'request',
  conversation_id: 'conversation',
};

/** The filter in the URL as text. */
export function filterFrom(search: string): string {
  const params = new URLSearchParams(search);
  const filter = read(params.get('filter') ?? '');
  for (const [name, field] of Object.entries(PARAMETERS)) {
    const value = params.get(name);
    if (value) filter.clauses.push({ field, values: [value], exclude: false });
  }
  const [since, until, words] = ['start_time', 'end_time', 'q'].map((name) => params.get(name));
  return filterText({
    clauses: filter.clauses,
    words: [...filter.words, ...(words ? [words] : [])],
    ...withTime('since', filter.since ?? since),
    ...withTime('until', filter.until ?? until),
  });
}

const withTime = (name: 'since' | 'until', value: string | null | undefined) =>
  value ? { [name]: value } : {};

/** A text that cannot be read filters nothing; the query bar says why. */
export function read(text: string): ParsedFilter {
  try {
    return parseFilterText(text);
  } catch (error) {
    if (error instanceof FilterTextError) return { clauses: [], words: [] };
    throw error;
  }
}

export function addressOf(filter: string, record?: string): string {
  const params = new URLSearchParams();
  if (filter !== '') params.set('filter', filter);
  if (record !== undefined) params.set('record', record);
  return `/activity${params.size > 0 ? `?${params}` : ''}`;
}

const EDGES: Record<'since' | 'until', Edge> = { since: 'start', until: 'end' };

/** The filter as the API gets it: days are those of the person at the browser. */
export function apiFilter(text: string): { filter?: string } {
  const filter = read(text);
  for (const name of ['since', 'until'] as const) {
    const value = filter[name];
    const at =
      value === undefined ? undefined : timeOf(value, { now: Date.now(), edge: EDGES[name], zone: 'local' });
    // An age moves along with the time.
    if (value !== undefined && at !== undefined && !/^\d+(ms|s|m|h|d|w)$/.test(value))
      filter[name] = new Date(at).toISOString();
  }
  const sent = filterText(filter);
  return sent === '' ? {} : { filter: sent };
}

/** The filter with a value of a field wanted, excluded or neither. */
export function withValue(text: string, { field, value, as }: Change): string {
  const filter = read(text);
  const without = filter.clauses
    .map((clause) =>
      clause.field === field ? { ...clause, values: clause.values.filter((each) => each !== value) } : clause,
    )
    .filter(({ values }) => values.length > 0);
  return filterText({
    ...filter,
    clauses: as === 'neither' ? without : added(without, { field, value, as }),
  });
}

function added(clauses: Clause[], { field, value, as }: Change): Clause[] {
  const exclude = as === 'excluded';
  const same = clauses.find((clause) => clause.field === field && clause.exclude === exclude);
  if (!same) return [...clauses, { field, values: [value], exclude }];
  return clauses.map((clause) => (clause === same ? { ...same, values: [...same.values, value] } : clause));
}

interface Change {
  field: ClauseField;
  value: string;
  as: Choice;
}

export type Choice = 'wanted' | 'excluded' | 'neither';

export function choiceOf(filter: ParsedFilter, field: ClauseField, value: string): Choice {
  const clause = filter.clauses.find((each) => each.field === field && each.values.includes(value));
  return clause === undefined ? 'neither' : clause.exclude ? 'excluded' : 'wanted';
}

export function withRange(text: string, range: { since?: string; until?: string }): string {
  const { since: _since, until: _until, ...filter } = read(text);
  return filterText({ ...filter, ...range });
}

/** The filter without its conditions on one field, to count what else that field has. */
export const withoutField = (text: string, field: ClauseField): string => {
  const filter = read(text);
  return filterText({ ...filter, clauses: filter.clauses.filter((clause) => clause.field !== field) });
};
