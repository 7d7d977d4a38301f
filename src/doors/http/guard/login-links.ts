import { hash, randomBytes } from 'node:crypto';
import type { Clock } from '../../../lib/clock.ts';

const LIFE_MS = 10 * 60_000;
const MAX_LINKS = 100;

/** Codes that log a browser in once, for people who should not have to copy a key. */
export interface LoginLinks {
  create(): { code: string; expiresAt: number };
  /** True once for each code, before it expires. */
  use(code: string): boolean;
}

export function createLoginLinks(clock: Clock): LoginLinks {
  /** By digest, so that the time of a look-up reveals nothing. */
  const open = new Map<string, number>();
  const digest = (code: string) => hash('sha256', code, 'base64url');
  return {
    create() {
      const code = randomBytes(24).toString('base64url');
      const expiresAt = clock.now() + LIFE_MS;
      open.set(digest(code), expiresAt);
      if (open.size > MAX_LINKS) open.delete(open.keys().next().value!);
      return { code, expiresAt };
    },
    use(code) {
      const key = digest(code);
      const expiresAt = open.get(key);
      open.delete(key);
      return expiresAt !== undefined && expiresAt > clock.now();
    },
  };
}

/** The code is in the fragment, so that it is in no request line, log or Referer header. */
export const loginUrl = (base: string, code: string): string => `${base}/#login=${code}`;
