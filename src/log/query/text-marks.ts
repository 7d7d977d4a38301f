import {
  clientProgram,
  SECRET_WORD,
  type ActivityMetadata,
  type RecordFilter,
} from '../../contract/activity.ts';
import { namesOf, type Facet } from '../counts/facets.ts';
import {
  type ActivityRow,
  type OperationFacet,
  type SealedFacet,
  principalOf,
  operationsShown,
  shownStatus,
  shownType,
  whoOf,
} from '../record/row.ts';
import { wordsOf } from './words.ts';

/** The indexed columns of a record. */
export type SearchRow = Pick<
  ActivityRow,
  | 'seq'
  | 'facet_id'
  | 'server_name'
  | 'tool_name'
  | 'session_id'
  | 'request_id'
  | 'conversation_id'
  | 'client'
  | 'error_code'
  | 'error_message'
  | 'metadata'
  | 'arguments'
>;

/** The text that `q` searches: tool, arguments, reason, error, caller, client, approval and decider. */
export function searchText(row: SearchRow, facet: SealedFacet): string {
  const tool = facet.unlisted ? row.tool_name : facet.tool_name;
  const who = `${principalOf(row.metadata) ?? ''} ${row.client ?? ''} ${decisionText(row.metadata, facet)}`;
  const secret = hasSecrets(row.metadata) ? SECRET_WORD : '';
  return `${tool ?? ''} ${secret} ${reasonOf(row.metadata)} ${who} ${row.error_code ?? ''} ${row.error_message ?? ''} ${row.arguments ?? ''}`;
}

const hasSecrets = (metadata: string) =>
  metadata.includes('"secrets_sent":[') || metadata.includes('"secrets_received":[');

/** The approval of a record and who decided on it. */
function decisionText(metadata: string, facet: SealedFacet): string {
  if (!metadata.includes('"approval"')) return '';
  const { approval_id: id = '', decided_by: by = '' } = whoOf(
    JSON.parse(metadata) as ActivityMetadata,
    facet,
  );
  return `${id} ${by}`;
}

/** The reason of an intent at the top, in metadata without escapes: the text of such strings has no quotes, so these are keys. */
const REASON = /^\{[^{}]*"intent":\{[^{}]*?"reason":"([^"]*)"/;

function reasonOf(metadata: string): string {
  if (!metadata.includes('"reason"')) return '';
  const reason = metadata.includes('\\') ? undefined : REASON.exec(metadata)?.[1];
  if (reason !== undefined) return reason;
  return (JSON.parse(metadata) as { intent?: { reason?: string } }).intent?.reason ?? '';
}

/** The index text of a record: its words, and marks for its other values. */
export function indexText(row: SearchRow, facet: Facet): string {
  let text = facetMarks(facet);
  if (facet.unlisted) text += spaced('v', row.server_name) + spaced('t', row.tool_name);
  text += spaced('x', row.session_id) + spaced('r', row.request_id) + spaced('c', row.conversation_id);
  text += knownCaller(row).text;
  for (const word of wordsOf(searchText(row, facet))) text += ` ${word}`;
  return text;
}

/** The index query for words and for the other supported filters. `unlisted`: only records that store their names themselves. */
export function expression(filter: RecordFilter, words: Iterable<string>, unlisted: boolean): string {
  const { server: _server, tool: _tool, ...others } = filter;
  const terms = [...words, ...marksOf(others), ...(unlisted ? [UNLISTED] : [])].map((word) => `"${word}"`);
  if (filter.server !== undefined || filter.tool !== undefined) {
    const choices = namesOf(filter).map((names) => marksOf(names).map((text) => `"${text}"`));
    terms.push(`(${choices.map((all) => `(${all.join(' AND ')})`).join(' OR ')})`);
  }
  return terms.join(' AND ');
}

const LETTER = {
  type: 'y',
  status: 's',
  intent_type: 'o',
  server: 'v',
  tool: 't',
  session_id: 'x',
  request_id: 'r',
  conversation_id: 'c',
  principal: 'p',
  client: 'k',
} as const;
const MARKED = Object.keys(LETTER) as Array<keyof typeof LETTER>;
const UNLISTED = '\ue000u';

/** Special words for the other values of a record, so that one index covers all filters. */
export function marksOf(values: { [K in keyof typeof LETTER]?: string | null | undefined }): string[] {
  const marks: string[] = [];
  for (const name of MARKED) {
    const value = values[name];
    if (value !== undefined && value !== null) marks.push(mark(LETTER[name], value));
  }
  return marks;
}

/** One for each operation that a call has by any of its sources. */
export const operationMarks = (facet: OperationFacet): string[] =>
  operationsShown(facet).flatMap((operation) => marksOf({ intent_type: operation }));

/** Cached, because there are few distinct values. */
const whoKnown = new Map<string, { marks: string[]; text: string }>();
const MAX_WHO = 10_000;

/** The credential and the client program of a record, the latter with and without its version. */
export const callerMarks = (row: Pick<ActivityRow, 'metadata' | 'client'>): string[] =>
  knownCaller(row).marks;

function knownCaller({ metadata, client }: Pick<ActivityRow, 'metadata' | 'client'>) {
  const principal = principalOf(metadata);
  const key = `${principal ?? ''}\n${client ?? ''}`;
  const known = whoKnown.get(key);
  if (known) return known;
  const marks = [
    ...marksOf({ principal, client }),
    ...(client !== null && clientProgram(client) !== client
      ? marksOf({ client: clientProgram(client) })
      : []),
  ];
  const made = { marks, text: joined(marks) };
  if (whoKnown.size >= MAX_WHO) whoKnown.clear();
  whoKnown.set(key, made);
  return made;
}

const spaced = (letter: string, value: string | null) => (value === null ? '' : ` ${mark(letter, value)}`);
const joined = (marks: string[]) => marks.map((text) => ` ${text}`).join('');

/** Cached, because the values of a facet never change and thousands of records share them. */
const known = new WeakMap<Facet, string>();

function facetMarks(facet: Facet): string {
  const made = known.get(facet);
  if (made !== undefined) return made;
  const { status, server_name: server, tool_name: tool } = facet;
  const marks = [
    ...marksOf({ type: shownType(facet), status: shownStatus(status), server, tool }),
    ...operationMarks(facet),
  ];
  const text = joined(facet.unlisted ? [...marks, UNLISTED] : marks);
  known.set(facet, text);
  return text;
}

/** A word that no text contains, because wordsOf() drops private-use characters. The hash keeps it short and free of quotes. */
function mark(letter: string, value: string): string {
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i);
    a = Math.imul(a ^ code, 2_654_435_761);
    b = Math.imul(b ^ code, 1_597_334_677);
  }
  return `\ue000${letter}${letters(a)}${letters(b)}`;
}

const HEX = 'abcdefghijklmnop';
const PAIRS = Array.from({ length: 256 }, (_, byte) => HEX[byte & 15]! + HEX[byte >> 4]!);

/** 32 bits as text; Number.toString() takes ten times as long. */
function letters(bits: number): string {
  return PAIRS[bits & 255]! + PAIRS[(bits >>> 8) & 255]! + PAIRS[(bits >>> 16) & 255]! + PAIRS[bits >>> 24]!;
}
