import { ProxyError, toProxyError } from '../../contract/errors.ts';

export interface LogState {
  log: 'ok' | 'unavailable';
  reason?: string;
}

/** A read needs no record on disk beforehand, but it is not made where none could be written afterwards. */
export function requireLog({ log, reason }: LogState): void {
  if (log === 'ok') return;
  throw new ProxyError(
    'AUDIT_UNAVAILABLE',
    `The activity log cannot be written (${reason ?? 'unknown'}), so the call was not made`,
    { executed: false },
  );
}

/** The call was made and then the log failed: nothing leaves that is not recorded, and the caller must know that it ran. */
export function ranUnrecorded(cause: unknown): never {
  throw new ProxyError(
    'AUDIT_UNAVAILABLE',
    `The tool has run, but its outcome could not be recorded, so its answer is held back: ${toProxyError(cause).message}. Look before you repeat the call`,
    { executed: true },
    { cause },
  );
}
