import { ProxyError } from '../../../../contract/errors.ts';
import type { Reached } from '../../context.ts';

const ID_LENGTH = 26;
const TIME_LENGTH = 10;
/** Shorter prefixes cover hours of records. */
export const SHORTEST_PREFIX = 7;
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** The time in the id can differ slightly from the timestamp of the record. */
const SLACK_MS = 5_000;
const MOST_PAGES = 20;
/** The last time that filters take. An id may encode a later one. */
const LAST_TIME = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Shortens ids to the length at which they are unique in this list. */
export function shortIds(ids: string[]): (id: string) => string {
  for (let length = TIME_LENGTH; length < ID_LENGTH; length++) {
    if (new Set(ids.map((id) => id.slice(0, length))).size === new Set(ids).size)
      return (id) => id.slice(0, length);
  }
  return (id) => id;
}

/** Resolves a full id or a unique prefix. The first ten characters encode the time, so a prefix is a time range to query. */
export async function resolveId({ request }: Pick<Reached, 'request'>, given: string): Promise<string> {
  const prefix = given.toUpperCase();
  if (prefix.length >= ID_LENGTH || !isPrefix(prefix)) return given;
  if (prefix.length < SHORTEST_PREFIX)
    throw new ProxyError(
      'USAGE',
      `'${given}' is too short for an id. Use at least ${SHORTEST_PREFIX} characters`,
    );
  const range = timeRange(prefix);
  const found: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const answer = await request('listActivity', { ...range, limit: 100, ...(cursor && { cursor }) });
    found.push(...answer.records.map(({ id }) => id).filter((id) => id.startsWith(prefix)));
    if (answer.next_cursor === null) return only(found, given);
    cursor = answer.next_cursor;
  }
  throw new ProxyError('USAGE', `'${given}' matches too many records. Use more characters of the id`);
}

function isPrefix(text: string): boolean {
  return /^[0-9A-HJKMNP-TV-Z]+$/.test(text);
}

function timeRange(prefix: string): { start_time: string; end_time: string } {
  const decode = (fill: string) => {
    const digits = prefix.slice(0, TIME_LENGTH).padEnd(TIME_LENGTH, fill);
    return Array.from(digits).reduce((time, digit) => time * 32 + ALPHABET.indexOf(digit), 0);
  };
  const iso = (time: number) => new Date(Math.max(0, Math.min(time, LAST_TIME))).toISOString();
  return { start_time: iso(decode('0') - SLACK_MS), end_time: iso(decode('Z') + SLACK_MS) };
}

function only(found: string[], given: string): string {
  const [id, ...others] = found;
  if (id === undefined)
    throw new ProxyError('NOT_FOUND', `No record id starts with '${given}'`, { id: given });
  if (others.length > 0) {
    throw new ProxyError(
      'USAGE',
      `'${given}' matches ${found.length} records: ${found.slice(0, 5).join(', ')}`,
      { ids: found.slice(0, 5) },
    );
  }
  return id;
}
