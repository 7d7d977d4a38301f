import { CODE, RpcError } from '../wire.ts';

const LEVELS: readonly string[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
];

/** Whether a client that asked for `least` wants a message of this level. */
export function wantsLevel(least: string, level: unknown): boolean {
  return typeof level === 'string' && LEVELS.indexOf(level) >= LEVELS.indexOf(least);
}

/** The level that a client names. Throws where it is unknown. */
export function readLevel(level: unknown): string {
  const known = LEVELS.find((each) => each === level);
  if (known !== undefined) return known;
  throw new RpcError(CODE.invalidParams, `Invalid params: "level" must be one of ${LEVELS.join(', ')}`, {
    record: 'INVALID_REQUEST',
  });
}
