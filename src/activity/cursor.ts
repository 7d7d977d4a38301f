import { ProxyError } from '../contract/errors.ts';

/** A place in the log: everything before this sequence number is still to come. New records do not move it. */
export function toCursor(seq: number): string {
  return Buffer.from(`a1.${seq.toString(36)}`).toString('base64url');
}

export function fromCursor(cursor: string): number {
  const [version, digits = ''] = Buffer.from(cursor, 'base64url').toString('latin1').split('.');
  const seq = /^[0-9a-z]{1,11}$/.test(digits) ? Number.parseInt(digits, 36) : Number.NaN;
  if (version === 'a1' && Number.isSafeInteger(seq) && toCursor(seq) === cursor) return seq;
  throw new ProxyError(
    'INVALID_REQUEST',
    'cursor is not one that this log has given; leave it out to begin with the newest record',
    {
      field: 'cursor',
    },
  );
}
