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
  /** A record that was closed after a crash says something else now: its end must have come later. */
  overtaken(claim: Claim): void;
  /** A record that was closed after a crash and that nobody opened, or that was changed and whose end never came. */
  loose(): Problem | null;
}

export function createClaims(): Claims {
  const open = new Map<string, Claim>();
  // The one who closes it may be another writer, whose chain is read first.
  const recovered = new Map<string, Claim>();
  const changed = new Map<string, Claim>();
  const ended = new Set<string>();
  return {
    add(claim, cut) {
      const { id, kind } = claim;
      if (kind === 'opened') {
        claim.first = !recovered.delete(id);
        if (claim.first) open.set(id, claim);
      } else if (kind === 'late') {
        claim.first = false;
        ended.add(id);
      } else if (kind !== 'redacted') {
        claim.first = !open.delete(id);
        if (claim.first && kind === 'recovered' && !cut) recovered.set(id, claim);
      }
    },
    open: () => open.values(),
    overtaken: (claim) => void changed.set(claim.id, claim),
    loose() {
      for (const { log, n, id } of recovered.values()) {
        const message = `record ${id} was closed after a crash, but never opened`;
        return { log, entry: n, record: id, reason: 'order', message };
      }
      for (const { log, n, id } of changed.values())
        if (!ended.has(id)) return { log, entry: n, record: id, reason: 'row differs', message: differs(id) };
      return null;
    },
  };
}

const differs = (id: string) => `record ${id} is not what was recorded`;

/**
 * `later`: the record has gone on since, so an entry further on must vouch for it. `overtaken`: the same of one that was closed after a
 * crash, and whose end came all the same.
 */
export function checkRecord(
  { log, n, seq, kind, id, digest }: Claim,
  row: ActivityRow | null,
  facet: SealedFacet | undefined,
): 'vouched' | 'later' | 'overtaken' | Problem {
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
  if (row.id !== id || now < state) return problem('row differs', differs(id));
  if (recordDigest(row, facet) === digest) return 'vouched';
  return kind === 'recovered' ? 'overtaken' : problem('row differs', differs(id));
}
