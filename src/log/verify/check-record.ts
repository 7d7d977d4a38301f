import type { Problem } from './problem.ts';
import type { ActivityRow } from '../record/activity-row.ts';
import { recordDigest, STATE, stateOf, type SealedFacet } from '../chain/seal.ts';
import type { Claim } from './problem.ts';

export function differs({ log, n, id }: Claim): Problem {
  return {
    log,
    entry: n,
    record: id,
    reason: 'row differs',
    message: `record ${id} is not what was recorded`,
  };
}

export function earliest(problems: ReadonlyArray<Problem | null>): Problem | null {
  let first: Problem | null = null;
  for (const each of problems) if (each && (!first || each.entry < first.entry)) first = each;
  return first;
}

/**
 * `later`: the record has gone on since, so an entry further on must vouch for it. `overtaken`: the same of one that was closed after a
 * crash, and whose end came all the same.
 */
export function checkRecord(
  claim: Claim,
  row: ActivityRow | null,
  facet: SealedFacet | undefined,
): 'vouched' | 'later' | 'overtaken' | Problem {
  const { log, n, seq, kind, id, digest } = claim;
  const problem = (reason: Problem['reason'], message: string): Problem => ({
    log,
    entry: n,
    record: typeof id === 'string' ? id : null,
    reason,
    message,
  });
  if (!row) return problem('row missing', `record ${id} is gone, and retention did not drop it`);
  if (!facet) return problem('row differs', `record ${id} points at a facet that does not exist`);
  const [now, state] = [stateOf(row, facet.status), STATE[kind]];
  if (row.id === id && row.seq === seq && now > state) return 'later';
  if (row.id !== id || now < state) return differs(claim);
  if (recordDigest(row, facet) === digest) return 'vouched';
  return kind === 'recovered' ? 'overtaken' : differs(claim);
}
