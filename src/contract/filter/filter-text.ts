/** A condition on one field of a record: one of the values, or none of them. */
export interface Clause {
  field: ClauseField;
  values: readonly string[];
  exclude: boolean;
}

export interface ParsedFilter {
  clauses: Clause[];
  /** Words without a field, for the search in texts. */
  words: string[];
  since?: string;
  until?: string;
}

export const CLAUSE_FIELDS = [
  'agent',
  'client',
  'server',
  'tool',
  'op',
  'status',
  'code',
  'type',
  'session',
  'request',
  'conversation',
  'approval',
  'decider',
  'secret',
  'received_secret',
] as const;
/** As the value of "secret" or "received_secret": a secret of any kind. */
export const ANY_KIND = 'any';

export type ClauseField = (typeof CLAUSE_FIELDS)[number];

/** Other names of the fields, as the API and the command line have them. */
const ALIASES: Record<string, ClauseField> = {
  principal: 'agent',
  operation: 'op',
  intent: 'op',
  intent_type: 'op',
  error: 'code',
  error_code: 'code',
  session_id: 'session',
  request_id: 'request',
  conversation_id: 'conversation',
  approval_id: 'approval',
  decided_by: 'decider',
};

export const MAX_FILTER_LENGTH = 2000;
export const MAX_FILTER_VALUES = 100;

/** The filter cannot be read; the message says why. */
export class FilterTextError extends Error {}

interface Token {
  /** Before the colon. */
  name?: string;
  exclude: boolean;
  values: string[];
}

/** Reads `agent:cursor op:write,destructive -status:success since:7d "some words"`. Values of one field are alternatives. */
export function parseFilterText(text: string): ParsedFilter {
  if (text.length > MAX_FILTER_LENGTH)
    throw new FilterTextError(`A filter may have ${MAX_FILTER_LENGTH} characters`);
  const parsed: ParsedFilter = { clauses: [], words: [] };
  let values = 0;
  for (const token of tokensOf(text)) {
    values += token.values.length;
    if (values > MAX_FILTER_VALUES)
      throw new FilterTextError(`A filter may have ${MAX_FILTER_VALUES} values`);
    addToken(parsed, token);
  }
  return parsed;
}

function addToken(parsed: ParsedFilter, { name, exclude, values }: Token): void {
  if (name === undefined) {
    if (exclude) throw new FilterTextError(`Only a field can be excluded, as in "-status:success"`);
    parsed.words.push(...values);
    return;
  }
  if (name === 'since' || name === 'until') {
    if (exclude || values.length !== 1)
      throw new FilterTextError(`"${name}" takes one time, as in ${name}:7d`);
    parsed[name] = values[0]!;
    return;
  }
  const field = fieldNamed(name);
  if (!field)
    throw new FilterTextError(
      `Unknown field "${name.slice(0, 50)}". Fields are ${CLAUSE_FIELDS.join(', ')}, since and until; put a text with a colon in quotes`,
    );
  if (values.length === 0) throw new FilterTextError(`"${name}" has no value, as in ${name}:VALUE`);
  const same = parsed.clauses.find((clause) => clause.field === field && clause.exclude === exclude);
  if (same) same.values = [...new Set([...same.values, ...values])];
  else parsed.clauses.push({ field, values: [...new Set(values)], exclude });
}

export function fieldNamed(name: string): ClauseField | undefined {
  const small = name.toLowerCase();
  const field = CLAUSE_FIELDS.find((each) => each === small);
  return field ?? (Object.hasOwn(ALIASES, small) ? ALIASES[small] : undefined);
}

const isSpace = (character: string | undefined) => character !== undefined && /\s/.test(character);

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const skipSpace = () => {
    while (isSpace(text[at])) at++;
  };

  /** A text up to a space or one of `ends`; in quotes it may hold anything. */
  function part(ends: string): string {
    if (text[at] === '"') return quoted();
    const start = at;
    while (at < text.length && !isSpace(text[at]) && !ends.includes(text[at]!)) at++;
    return text.slice(start, at);
  }

  function quoted(): string {
    let out = '';
    for (at++; at < text.length && text[at] !== '"'; at++) {
      if (text[at] === '\\' && at + 1 < text.length) at++;
      out += text[at];
    }
    if (at >= text.length) throw new FilterTextError('A quotation mark is not closed');
    at++;
    return out;
  }

  function values(): string[] {
    const found: string[] = [];
    do {
      at++; // the colon or the comma
      const value = part(',');
      if (value !== '') found.push(value);
    } while (text[at] === ',');
    return found;
  }

  for (skipSpace(); at < text.length; skipSpace()) {
    const exclude = text[at] === '-' && !isSpace(text[at + 1]);
    if (exclude) at++;
    const isQuoted = text[at] === '"';
    const first = part(':');
    if (!isQuoted && text[at] === ':' && first !== '')
      tokens.push({ name: first, exclude, values: values() });
    else {
      // A colon without a name belongs to the word.
      const rest = text[at] === ':' ? part('') : '';
      tokens.push({ exclude, values: [first + rest] });
    }
  }
  return tokens;
}

const PLAIN = /^[^\s",:\\-][^\s",\\]*$/;
const inQuotes = (text: string) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
const written = (value: string) => (PLAIN.test(value) ? value : inQuotes(value));
const writtenWord = (word: string) => (PLAIN.test(word) && !word.includes(':') ? word : inQuotes(word));

/** The filter as text again; reading it gives the same filter. */
export function filterText({ clauses, words, since, until }: ParsedFilter): string {
  return [
    ...clauses.map(
      ({ field, values, exclude }) => `${exclude ? '-' : ''}${field}:${values.map(written).join()}`,
    ),
    ...(since === undefined ? [] : [`since:${written(since)}`]),
    ...(until === undefined ? [] : [`until:${written(until)}`]),
    ...words.map(writtenWord),
  ].join(' ');
}
