import type { ActivityRow, SealedFacet } from '../record/row.ts';
import {
  type Claim,
  type ParsedEntry,
  type Problem,
  type Reason,
  checkRecord,
  claimOf,
  readEntry,
} from './claim.ts';
import type { Claims } from './claims.ts';
import {
  type Checkpoint,
  type Tombstone,
  checkpointText,
  firstHash,
  nextHash,
  tombstoneText,
} from '../chain/hash-chain.ts';

/** An entry as it is stored. */
export interface StoredLink {
  n: number;
  seq: number | null;
  entry: unknown;
  hash: unknown;
}

/** With the record that it is about, as that is stored. */
export interface ChainItem extends StoredLink {
  row: ActivityRow | null;
  facet: SealedFacet | undefined;
}

export interface ChainCheckParts {
  logId: string;
  isSigned: (text: string, signature: unknown) => boolean;
  /** Where the chain begins, once retention has dropped what came before. */
  base: Tombstone | null;
  /** The entry after which this check begins, for one of several that share a chain. */
  start?: { n: number; head: string };
  /** A checkpoint from elsewhere that the chain must contain. */
  witness?: Checkpoint | undefined;
  /** Shared by the chains of a database: a record may be closed in another one than it was opened in. */
  claims: Claims;
}

export interface ChainCheck {
  readonly logId: string;
  /** Takes the entries one by one, in order; gives the first thing that is wrong. */
  take(item: ChainItem): Problem | null;
  /** Goes on after a segment that another check has found to be whole. */
  advance(over: ChainProgress): void;
  /** What can only be said once all entries were seen. */
  end(): Problem | null;
  readonly claims: Claims;
  readonly seen: ChainProgress;
}

export interface ChainProgress {
  entries: number;
  head: string;
  n: number;
  /** Records whose present state an entry vouches for. */
  records: number;
  checkpoint: Checkpoint | null;
  /** Statements of retention, by the log that they are about; the last counts. */
  dropped: Map<string, Tombstone>;
  /** The hash of the entry that the witness is about. */
  witnessed: string | undefined;
}

/** The number and hash before the first entry that a log still has. */
export function startOf(
  { log_id: id }: { log_id: string },
  base: Tombstone | null,
): { n: number; head: string } {
  return base ?? { n: 0, head: firstHash(id) };
}

/** Verifies a chain, link by link, without knowing where it is stored. */
export function createChainCheck(parts: ChainCheckParts): ChainCheck {
  const { logId, isSigned, base, witness, claims } = parts;
  const start = parts.start ?? startOf({ log_id: logId }, base);
  const seen: ChainProgress = {
    entries: 0,
    head: start.head,
    n: start.n,
    records: 0,
    checkpoint: null,
    dropped: new Map(),
    witnessed: witness && witness.n === base?.n ? base.head : undefined,
  };
  /** The witness is about what retention has dropped. */
  const tooOld = witness !== undefined && witness.n < (base?.n ?? 0);

  const problem = (entry: number, reason: Reason, message: string): Problem => ({
    log: logId,
    entry,
    record: null,
    reason,
    message,
  });

  /** Order and hash. */
  function badLink({ n, entry, hash }: StoredLink): Problem | null {
    if (n > seen.n + 1) return problem(seen.n + 1, 'gap', `entries ${seen.n + 1} to ${n - 1} are missing`);
    if (n <= seen.n) return problem(n, 'order', `entry ${n} comes after entry ${seen.n}`);
    if (typeof entry === 'string' && nextHash(seen.head, entry) === hash) return null;
    const message = `entry ${n} or its hash was changed, or an entry before it was exchanged`;
    return problem(n, 'hash', message);
  }

  function link(item: StoredLink): { problem: Problem } | { claim: Claim | null } {
    const bad = badLink(item);
    if (bad) return { problem: bad };
    const { n, seq, entry, hash } = item as { n: number; seq: number | null; entry: string; hash: string };
    const previous = seen.head;
    const parsed = readEntry(entry);
    if (!parsed || parsed.n !== n)
      return { problem: problem(n, 'order', `entry ${n} has another number in its text`) };
    seen.n = n;
    seen.head = hash;
    seen.entries++;
    if (witness?.n === n) seen.witnessed = hash;
    if (parsed.k === 'checkpoint' || parsed.k === 'dropped') {
      const wrong = parsed.k === 'dropped' ? dropped(parsed, seq) : checkpoint(parsed, previous, seq);
      return wrong ? { problem: wrong } : { claim: null };
    }
    const claim = claimOf(logId, parsed, item);
    if (!claim)
      return {
        problem: {
          ...problem(n, 'order', `entry ${n} has an unknown kind`),
          record: typeof parsed.id === 'string' ? parsed.id : null,
        },
      };
    claims.add(claim, base !== null);
    return { claim };
  }

  function checkpoint(
    { n, t, head, signature }: ParsedEntry,
    previous: string,
    seq: number | null,
  ): Problem | null {
    const statement = { log: logId, n: (n as number) - 1, head: previous, time: t as number };
    if (head !== previous || seq !== null || !isSigned(checkpointText(statement), signature))
      return problem(
        n as number,
        'bad signature',
        `checkpoint ${String(n)} does not sign the entries before it`,
      );
    seen.checkpoint = { ...statement, signature: signature as string };
    return null;
  }

  function dropped({ n, base: stone }: ParsedEntry, seq: number | null): Problem | null {
    if (!stone || seq !== null || !isSigned(tombstoneText(stone), stone.signature))
      return problem(n as number, 'bad signature', `entry ${String(n)} of retention is not signed`);
    seen.dropped.set(stone.log, stone);
    return null;
  }

  return {
    logId,
    claims,
    seen,
    take(item) {
      const linked = link(item);
      // Who is hurt is worth knowing also where the entry itself is what is wrong.
      if ('problem' in linked) return withRecord(linked.problem, item.row);
      if (linked.claim === null) return null;
      const { claim } = linked;
      const found = checkRecord(claim, item.row, item.facet);
      if (found === 'vouched') seen.records++;
      claim.later = found === 'later';
      if (claim.later && item.row?.salt === null) claims.sawRedacted(claim);
      if (found === 'overtaken') claims.overtaken(claim);
      return typeof found === 'string' ? null : found;
    },
    advance(over) {
      const { entries, records, dropped } = seen;
      Object.assign(seen, over, {
        entries: entries + over.entries,
        records: records + over.records,
        checkpoint: over.checkpoint ?? seen.checkpoint,
        dropped: new Map([...dropped, ...over.dropped]),
        witnessed: over.witnessed ?? seen.witnessed,
      });
    },
    end() {
      if (witness && !isSigned(checkpointText(witness), witness.signature))
        return problem(
          witness.n,
          'bad signature',
          'the checkpoint that was given is not signed by the key of this log',
        );
      if (!witness || tooOld) return null;
      if (seen.witnessed === undefined)
        return problem(
          seen.n + 1,
          'truncated',
          `the checkpoint covers ${witness.n} entries, the log ends after ${seen.n}`,
        );
      if (seen.witnessed !== witness.head)
        return problem(witness.n, 'hash', `entry ${witness.n} is not the one that the checkpoint signs`);
      return null;
    },
  };
}

function withRecord(problem: Problem, row: ActivityRow | null): Problem {
  const about = problem.reason === 'hash' || problem.reason === 'order';
  const id: unknown = row?.id;
  return about && problem.record === null && typeof id === 'string' ? { ...problem, record: id } : problem;
}
