import { ProxyError } from '../../../../contract/errors.ts';
import type { Reached } from '../../context.ts';

const ID_LENGTH = 26;
const TIME_LENGTH = 10;
/** Shorter prefixes span hours; looking through them would be guessing. */
export const SHORTEST_PREFIX = 7;
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** Between making the id and stamping the record the clock may tick. */
const SLACK_MS = 5_000;
const MOST_PAGES = 20;
const LAST_TIME = 8_640_000_000_000_000;

/** As much of the ids as it takes to tell these records apart, and to find them again. */
export function shortIds(ids: string[]): (id: string) => string {
  for (let length = TIME_LENGTH; length < ID_LENGTH; length++) {
    if (new Set(ids.map((id) => id.slice(0, length))).size === new Set(ids).size)
      return (id) => id.slice(0, length);
  }
  return (id) => id;
}

/** A full id, or any unique beginning of one. The first ten characters are a time, so a beginning is a range that can be asked for. */
export async function resolveId({ request }: Pick<Reached, 'request'>, given: string): Promise<string> {
  const prefix = given.toUpperCase();
  if (prefix.length >= ID_LENGTH || !isPrefix(prefix)) return given;
  if (prefix.length < SHORTEST_PREFIX)
    throw new ProxyError(
      'USAGE',
      `'${given}' is too short for an id: give at least ${SHORTEST_PREFIX} characters`,
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
  throw new ProxyError('USAGE', `'${given}' covers too many records: give more characters of the id`);
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
    throw new ProxyError('NOT_FOUND', `No record has an id that begins with '${given}'`, { id: given });
  if (others.length > 0) {
    throw new ProxyError(
      'USAGE',
      `'${given}' begins the ids of ${found.length} records: ${found.slice(0, 5).join(', ')}`,
      { ids: found.slice(0, 5) },
    );
  }
  return id;
}
