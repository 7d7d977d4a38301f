import type { OperationType } from '../../contract/operation.ts';
import type { HintSet, HintState } from '../verdict/held-hints.ts';
import { isWeaker } from '../verdict/verdict.ts';

export interface Decision {
  operation: OperationType;
  by: string;
  at: string;
}

/** A definition that was accepted or rejected: its hash, and the identity of its server at that time. */
export interface Accepted {
  hash: string;
  identity: string;
  by: string;
  at: string;
}

/** What is remembered of a tool, also while its server is disconnected. */
export interface KnownTool extends HintState {
  /** Empty if the operator has decided on a tool that was never listed. */
  hash: string;
  identity: string;
  operator?: Decision;
  accepted?: Accepted;
  /** Applies until the definition is accepted. */
  rejected?: Accepted;
  firstSeen: string;
  changedAt: string;
  /** Not stored, because its server has too many tools. A later change of it could not be detected. */
  unremembered?: true;
}

export interface ToolKey {
  server: string;
  tool: string;
}

/** The definition that is accepted with a listing; serialised only when it is written. */
export interface AcceptedDefinition {
  json: () => string;
  accepts: Acceptance;
}

/** `first`: accepted at first use, unless another proxy was first. `always`: part of the program, so accepted unconditionally. */
export type Acceptance = 'first' | 'always';

/**
 * Merges what this proxy knows with what the proxies on the same database share. The listing is this proxy's own; decisions and acceptances
 * are shared; of the held hints the stricter ones apply.
 */
export function mergeShared(mine: KnownTool, shared: KnownTool): KnownTool {
  const { operator: _operator, accepted: _accepted, rejected: _rejected, ...seen } = mine;
  // After an acceptance at another proxy, the hints held here before it no longer apply.
  const held = stricter(shared.held, isSameAcceptance(mine, shared) ? mine.held : mine.hints);
  return {
    ...seen,
    held,
    firstSeen: shared.firstSeen,
    ...(shared.operator && { operator: shared.operator }),
    ...(shared.accepted && { accepted: shared.accepted }),
    ...(shared.rejected && { rejected: shared.rejected }),
  };
}

/** Merges a listing into the row that is stored already. */
export function mergeLearned(mine: KnownTool, shared: KnownTool, accepts?: Acceptance): KnownTool {
  const merged = mergeShared(mine, shared);
  if (accepts === undefined || mine.accepted === undefined) return merged;
  if (accepts === 'always') return { ...merged, accepted: mine.accepted, held: mine.held };
  return shared.accepted && shared.accepted.hash !== '' ? merged : { ...merged, accepted: mine.accepted };
}

function stricter(shared: HintSet, mine: HintSet): HintSet {
  return isWeaker(mine, shared) ? shared : mine;
}

/** The time distinguishes two acceptances of the same definition. */
export function isSameAcceptance(a: KnownTool, b: KnownTool): boolean {
  return a.accepted?.hash === b.accepted?.hash && a.accepted?.at === b.accepted?.at;
}
