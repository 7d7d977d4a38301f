import { ProxyError } from '../contract/errors.ts';

/** A page of names that are sorted already. The cursor holds the last name shown, so that a change between pages neither repeats nor skips. */
export function pageOfNames(
  sorted: string[],
  limit: number,
  cursor: string | undefined,
): { names: string[]; next: string | null } {
  const start = cursor === undefined ? 0 : firstAfter(sorted, readCursor(cursor));
  const names = sorted.slice(start, start + limit);
  const more = start + names.length < sorted.length && names.length > 0;
  return { names, next: more ? Buffer.from(names.at(-1)!, 'utf8').toString('base64url') : null };
}

function readCursor(cursor: string): string {
  const name = Buffer.from(cursor, 'base64url').toString('utf8');
  if (!name.includes(':'))
    throw new ProxyError(
      'INVALID_REQUEST',
      'cursor is not one that this listing gave; leave it out to start anew',
      { parameter: 'cursor' },
    );
  return name;
}

function firstAfter(sorted: string[], name: string): number {
  let low = 0;
  for (let high = sorted.length; low < high;) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! <= name) low = middle + 1;
    else high = middle;
  }
  return low;
}
