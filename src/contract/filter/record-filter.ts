import { withTimes } from '../time.ts';
import { principalNamed } from '../token.ts';
import { parseFilterText, type Clause, type ClauseField } from './filter-text.ts';

/** A word of every record with a masked secret in its arguments or its response. */
export const SECRET_WORD = 'maskedsecret';

/** Fields of which one positive value is a named field of the filter. */
const NAMED = {
  server: 'server',
  tool: 'tool',
  status: 'status',
  type: 'type',
  op: 'intent_type',
  agent: 'principal',
  client: 'client',
  session: 'session_id',
  request: 'request_id',
  conversation: 'conversation_id',
  approval: 'approval_id',
  decider: 'decided_by',
} as const satisfies Partial<Record<ClauseField, string>>;

interface FilterFields {
  filter?: string | undefined;
  start_time?: string | undefined;
  end_time?: string | undefined;
  q?: string | undefined;
}

/** A filter whose text was read: named fields, which indexes answer, and the other conditions. */
export type WithClauses<T> = Omit<T, 'filter'> & { clauses?: readonly Clause[] | undefined };

/** Reads the text of a filter. A condition that has a field of its own becomes that field, unless it is taken. Times become ISO 8601. */
export function recordFilter<T extends FilterFields>(
  { filter: text, ...given }: T,
  now: number,
): WithClauses<T> {
  const timed: FilterFields = withTimes(given, now);
  if (text === undefined) return timed as WithClauses<T>;
  const { clauses, words, since, until } = parseFilterText(text);
  const times = withTimes({ start_time: since, end_time: until }, now);
  const named: Record<string, string | undefined> = {
    ...timed,
    start_time: later(timed.start_time, times.start_time),
    end_time: earlier(timed.end_time, times.end_time),
    ...withWords(timed.q, [...words, ...indexedWords(clauses)]),
  };
  const rest = clauses.filter((clause) => !becomesNamed(clause, named)).map(withPrincipals);
  const fields = Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
  return { ...fields, ...(rest.length > 0 && { clauses: rest }) } as WithClauses<T>;
}

const withWords = (q: string | undefined, words: readonly string[]) =>
  words.length > 0 ? { q: [...(q === undefined ? [] : [q]), ...words].join(' ') } : {};

function becomesNamed(
  { field, values, exclude }: Clause,
  named: Record<string, string | undefined>,
): boolean {
  if (exclude || values.length !== 1 || !isNamed(field)) return false;
  const name = NAMED[field];
  if (named[name] !== undefined) return false;
  named[name] = field === 'agent' ? principalNamed(values[0]!) : values[0]!;
  return true;
}

const isNamed = (field: ClauseField): field is keyof typeof NAMED => Object.hasOwn(NAMED, field);

/** The index of words knows which records have masked secrets, so that a condition on their kinds does not read all others. */
const indexedWords = (clauses: readonly Clause[]): string[] =>
  clauses.some(({ field, exclude }) => !exclude && (field === 'secret' || field === 'received_secret'))
    ? [SECRET_WORD]
    : [];

const withPrincipals = (clause: Clause): Clause =>
  clause.field === 'agent' ? { ...clause, values: clause.values.map(principalNamed) } : clause;

const later = (a?: string, b?: string) => (a === undefined || (b !== undefined && b > a) ? b : a);
const earlier = (a?: string, b?: string) => (a === undefined || (b !== undefined && b < a) ? b : a);
