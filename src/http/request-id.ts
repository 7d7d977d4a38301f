import { newId } from '../lib/ids.ts';

const SANE = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/;

/** The caller's own id where it is a short plain token, so that its logs and ours can be joined; else a new one. */
export function requestIdOf(given: string | string[] | null | undefined): string {
  return typeof given === 'string' && SANE.test(given) ? given : newId();
}
