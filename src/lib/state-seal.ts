import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { exactJson, parseExact } from '../json/index.ts';
import { systemClock, type Clock } from './clock.ts';

/**
 * What a client carries for somebody else. It can neither read it nor change it, and it opens only for what it was bound to: whose it
 * is, and what it is about.
 */
export interface StateSeal {
  seal(value: unknown, bound: string): string;
  /** Undefined where it is not ours, was changed, is bound to something else, or is too old. */
  open(sealed: unknown, bound: string): { value: unknown } | undefined;
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const MARK = 'mcpproxy.';
export const SEAL_KEY_BYTES = 32;
/** A person may take until tomorrow to answer. */
const MAX_AGE_MS = 86_400_000;

export function createStateSeal(
  key: Buffer,
  clock: Clock = systemClock,
  maxAgeMs: number = MAX_AGE_MS,
): StateSeal {
  return {
    seal(value, bound) {
      const sealed = sealBox(key, exactJson({ at: clock.now(), value })!, bound);
      return MARK + sealed.toString('base64url');
    },
    open(sealed, bound) {
      if (typeof sealed !== 'string' || !sealed.startsWith(MARK)) return undefined;
      const given = sealed.slice(MARK.length);
      const bytes = Buffer.from(given, 'base64url');
      // Decoding ignores foreign characters: only one spelling counts, as others compare these texts.
      const text = bytes.toString('base64url') === given ? openBox(key, bytes, bound) : undefined;
      if (text === undefined) return undefined;
      const { at, value } = parseExact(text) as { at: number; value: unknown };
      return clock.now() - at <= maxAgeMs ? { value } : undefined;
    },
  };
}

/** Encrypts a text; it opens only with the key, unchanged, and for what it was bound to. */
export function sealBox(key: Buffer, text: string, bound: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(bound));
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
}

export function openBox(key: Buffer, bytes: Buffer, bound: string): string | undefined {
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(bound));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8');
    return text + decipher.final('utf8');
  } catch {
    return undefined;
  }
}
