import { isWeaker } from '../verdict/verdict.ts';
import type { HintSet } from '../verdict/held-hints.ts';
import type { Acceptance, KnownTool } from './known-tool.ts';

/**
 * Several proxies may share what is known of a tool. How it is listed is what each sees for itself; what the operator has decided and
 * accepted holds for all of them, and of the hints that are held the stricter ones.
 */
export function underShared(mine: KnownTool, shared: KnownTool): KnownTool {
  const { operator: _operator, accepted: _accepted, rejected: _rejected, ...seen } = mine;
  // After an acceptance that we have not heard of, what we held before it no longer counts.
  const held = stricter(shared.held, sameAcceptance(mine, shared) ? mine.held : mine.hints);
  return {
    ...seen,
    held,
    firstSeen: shared.firstSeen,
    ...(shared.operator && { operator: shared.operator }),
    ...(shared.accepted && { accepted: shared.accepted }),
    ...(shared.rejected && { rejected: shared.rejected }),
  };
}

/** What is to be stored of a listing, where something is stored already. */
export function learntUnder(mine: KnownTool, shared: KnownTool, accepts?: Acceptance): KnownTool {
  const merged = underShared(mine, shared);
  if (accepts === undefined || mine.accepted === undefined) return merged;
  if (accepts === 'always') return { ...merged, accepted: mine.accepted, held: mine.held };
  return shared.accepted && shared.accepted.hash !== '' ? merged : { ...merged, accepted: mine.accepted };
}

function stricter(shared: HintSet, mine: HintSet): HintSet {
  return isWeaker(mine, shared) ? shared : mine;
}

/** By whom does not matter: the time tells two of them apart. */
export function sameAcceptance(a: KnownTool, b: KnownTool): boolean {
  return a.accepted?.hash === b.accepted?.hash && a.accepted?.at === b.accepted?.at;
}
