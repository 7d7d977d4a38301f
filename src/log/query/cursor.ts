import { ProxyError } from '../../contract/errors.ts';

/** A position in the log: the next page begins before this sequence number. New records do not move it. */
export function toCursor(seq: number): string {
  return encode('a1', [seq]);
}

export function fromCursor(cursor: string): number {
  return decode('a1', cursor, 1)[0]!;
}

/** The same if several logs share the sequence numbers. */
export function toPositionCursor({ seq, log }: { seq: number; log: number }): string {
  return encode('a2', [seq, log]);
}

export function fromPositionCursor(cursor: string): { seq: number; log: number } {
  const [seq, log] = decode('a2', cursor, 2) as [number, number];
  return { seq, log };
}

function encode(version: string, numbers: number[]): string {
  return Buffer.from([version, ...numbers.map((n) => n.toString(36))].join('.')).toString('base64url');
}

function decode(version: string, cursor: string, length: number): number[] {
  const parts = Buffer.from(cursor, 'base64url').toString('latin1').split('.').slice(1);
  const numbers = parts.map((digits) =>
    /^[0-9a-z]{1,11}$/.test(digits) ? Number.parseInt(digits, 36) : Number.NaN,
  );
  if (numbers.length === length && numbers.every(Number.isSafeInteger) && encode(version, numbers) === cursor)
    return numbers;
  throw new ProxyError('INVALID_REQUEST', 'Invalid cursor. Leave it out to start with the newest record', {
    field: 'cursor',
  });
}
