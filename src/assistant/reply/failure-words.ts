import type { ErrorCode } from '../../contract/errors.ts';

const NOT_ALLOWED = ': that is not allowed here.';
const SWITCHED_OFF = ': that is switched off here.';
const APPROVAL = ': somebody has to approve it first. It waits for them.';
/** Codes after which trying again does not help. */
const BARRED: Partial<Record<ErrorCode, string>> = {
  APPROVAL_DENIED: NOT_ALLOWED,
  POLICY_REFUSED: NOT_ALLOWED,
  OUT_OF_SCOPE: NOT_ALLOWED,
  SERVER_MISMATCH: NOT_ALLOWED,
  TOOL_DISABLED: SWITCHED_OFF,
  TOOL_WITHHELD: SWITCHED_OFF,
  TOOL_NOT_FOUND: SWITCHED_OFF,
};

export function isBarred(code: ErrorCode | undefined): boolean {
  return code !== undefined && BARRED[code] !== undefined;
}

/** Why something was not done, as far as a person can do something about it; the end of a sentence. */
export function why(code: ErrorCode | undefined): string {
  if (code === undefined) return ': it may have been removed or changed in the meantime.';
  return code === 'APPROVAL_PENDING' ? APPROVAL : (BARRED[code] ?? ' just now.');
}

/** That the list could not be read. */
export function unreadable(code?: ErrorCode): string {
  if (code === 'APPROVAL_PENDING' || isBarred(code)) return `I could not read your list${why(code)}`;
  return 'I cannot read your list just now; please try again in a moment.';
}
