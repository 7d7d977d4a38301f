import type { Problem } from './check-chain.ts';
import type { ActivityRow } from './row.ts';
import { recordDigest, STATE, stateOf, type RecordKind, type SealedFacet } from './seal.ts';

/** What an entry says of a record. */
export interface Claim {
  log: string;
  n: number;
  seq: number | null;
  kind: RecordKind;
  id: string;
  digest: unknown;
  /** No entry before it tells of the record. */
  first: boolean;
}

/** The claims of all chains of a database, as far as they hang together. */
export interface Claims {
  /** Takes one more, and says in it whether it is the first of its record. `cut`: the chain has lost its beginning to retention. */
  add(claim: Claim, cut: boolean): void;
  /** Records that no entry closes. */
  open(): Iterable<Claim>;
  /** A record that was closed after a crash, and that nobody opened. */
  neverOpened(): Problem | null;
}

export function createClaims(): Claims {
  const open = new Map<string, Claim>();
  // The one who closes it may be another writer, whose chain is read first.
  const recovered = new Map<string, Claim>();
  return {
    add(claim, cut) {
      const { id, kind } = claim;
      if (kind === 'opened') {
        claim.first = !recovered.delete(id);
        if (claim.first) open.set(id, claim);
      } else if (kind !== 'redacted') {
        claim.first = !open.delete(id);
        if (claim.first && kind === 'recovered' && !cut) recovered.set(id, claim);
      }
    },
    open: () => open.values(),
    neverOpened() {
      for (const { log, n, id } of recovered.values()) {
        const message = `record ${id} was closed after a crash, but never opened`;
        return { log, entry: n, record: id, reason: 'order', message };
      }
      return null;
    },
  };
}

/** `later`: the record has gone on since, so an entry further on must vouch for it. */
export function checkRecord(
  { log, n, seq, kind, id, digest }: Claim,
  row: ActivityRow | null,
  facet: SealedFacet | undefined,
): 'vouched' | 'later' | Problem {
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
  if (row.id !== id || now < state || recordDigest(row, facet) !== digest)
    return problem('row differs', `record ${id} is not what was recorded`);
  return 'vouched';
}
