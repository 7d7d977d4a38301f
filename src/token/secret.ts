import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { TOKEN_PREFIX } from '../contract/token.ts';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BYTES = 32;
/** The number of base-62 digits for 256 bits. */
const BODY_LENGTH = 43;
const CHECK_LENGTH = 6;
const SHAPE = new RegExp(`^${TOKEN_PREFIX}[0-9A-Za-z]{${BODY_LENGTH + CHECK_LENGTH}}$`);

/** `mcpp_`, 256 random bits, and a checksum that distinguishes a typing error from a wrong token. Letters and digits only: a double click selects it. */
export function newSecret(): string {
  const body = toBase62(BigInt(`0x${randomBytes(BYTES).toString('hex')}`), BODY_LENGTH);
  return TOKEN_PREFIX + body + checksumOf(body);
}

/** Whether a text is, or was meant to be, an agent token. */
export function looksLikeSecret(text: string): boolean {
  return text.startsWith(TOKEN_PREFIX);
}

export function hasValidChecksum(text: string): boolean {
  return (
    SHAPE.test(text) &&
    checksumOf(text.slice(TOKEN_PREFIX.length, -CHECK_LENGTH)) === text.slice(-CHECK_LENGTH)
  );
}

/** The stored form of a token. 256 random bits cannot be guessed, so a salt or a slow hash would add nothing. */
export function digestOf(secret: string): string {
  return hash('sha256', secret, 'hex');
}

function checksumOf(body: string): string {
  return toBase62(BigInt(crc32(TOKEN_PREFIX + body)), CHECK_LENGTH);
}

function toBase62(value: bigint, length: number): string {
  const base = BigInt(DIGITS.length);
  let text = '';
  for (let rest = value; text.length < length; rest /= base) text = DIGITS[Number(rest % base)]! + text;
  return text;
}
