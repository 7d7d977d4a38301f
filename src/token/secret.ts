import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { TOKEN_PREFIX } from '../contract/token.ts';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BYTES = 32;
/** So many digits hold 256 bits. */
const BODY_LENGTH = 43;
const CHECK_LENGTH = 6;
const SHAPE = new RegExp(`^${TOKEN_PREFIX}[0-9A-Za-z]{${BODY_LENGTH + CHECK_LENGTH}}$`);

/** `mcpp_`, 256 random bits, and a checksum that tells a slip of the pen from a wrong token. Letters and digits only: one click selects it. */
export function newSecret(): string {
  const body = inDigits(BigInt(`0x${randomBytes(BYTES).toString('hex')}`), BODY_LENGTH);
  return TOKEN_PREFIX + body + checkOf(body);
}

/** Whether something was meant to be a token of ours. */
export function looksLikeSecret(text: string): boolean {
  return text.startsWith(TOKEN_PREFIX);
}

export function isWhole(text: string): boolean {
  return (
    SHAPE.test(text) && checkOf(text.slice(TOKEN_PREFIX.length, -CHECK_LENGTH)) === text.slice(-CHECK_LENGTH)
  );
}

/** What is kept of it. With 256 random bits there is nothing to guess, so neither salt nor slowness would add anything. */
export function digestOf(secret: string): string {
  return hash('sha256', secret, 'hex');
}

function checkOf(body: string): string {
  return inDigits(BigInt(crc32(TOKEN_PREFIX + body)), CHECK_LENGTH);
}

function inDigits(value: bigint, length: number): string {
  const base = BigInt(DIGITS.length);
  let text = '';
  for (let rest = value; text.length < length; rest /= base) text = DIGITS[Number(rest % base)]! + text;
  return text;
}
