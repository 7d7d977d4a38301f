import type { AcceptedGap } from '../../contract/activity.ts';
import type { ActivityRow, SealedFacet } from '../record/row.ts';
import {
  type Claim,
  type ParsedEntry,
  type Problem,
  type Reason,
  acceptedGap,
  restoredHeads,
  checkRecord,
  claimOf,
  readEntry,
} from './claim.ts';
import type { Claims } from './claims.ts';
import {
  type Checkpoint,
  type LostEntries,
  type Tombstone,
  checkpointText,
  firstHash,
  lostText,
  nextHash,
  tombstoneText,
} from '../chain/hash-chain.ts';

/** A stored chain entry. */
export interface StoredLink {
  n: number;
  seq: number | null;
  entry: unknown;
  hash: unknown;
}

/** An entry with the stored record that it is about. */
export interface ChainItem extends StoredLink {
  row: ActivityRow | null;
  facet: SealedFacet | undefined;
}

export interface ChainCheckParts {
  logId: string;
  isSigned: (text: string, signature: unknown) => boolean;
  /** The tombstone of retention, if entries were dropped. */
  base: Tombstone | null;
  /** Where this check begins, if it covers only a segment of the chain. */
  start?: { n: number; head: string };
  /** A checkpoint from outside that the chain must contain. */
  witness?: Checkpoint | undefined;
  /** Shared by all chains of a database: a record may be opened in one chain and closed in another. */
  claims: Claims;
}

export interface ChainCheck {
  readonly logId: string;
  /** What retention has dropped. */
  readonly base: Tombstone | null;
  /** Checks the next entry. Returns the problem, if there is one. */
  take(item: ChainItem): Problem | null;
  /** Continues after a segment that another check has verified. */
  advance(over: ChainProgress): void;
  /** Checks that need all entries. */
  end(): Problem | null;
  readonly claims: Claims;
  readonly seen: ChainProgress;
}

export interface ChainProgress {
  entries: number;
  /** How many of them are of each kind. */
  kinds: Record<string, number>;
  head: string;
  n: number;
  /** Records whose current state an entry confirms. */
  records: number;
  checkpoint: Checkpoint | null;
  /** The last tombstone of each log. */
  dropped: Map<string, Tombstone>;
  /** Accepted restores, by the id of their record. */
  restored: Map<string, AcceptedGap>;
  /** Entries that the database has lost, as the proxy has noticed and signed. */
  lost: LostEntries[];
  /** The entry of the last acceptance. */
  acceptedAt: number;
  /** The heads of other logs that a record of a restore names, and the entry of that record. */
  heads: Map<string, { head: string; n: number }>;
  /** The hash of the entry that the witness covers. */
  witnessed: string | undefined;
}

/** The number and hash before the first entry that a log still has. */
export function startOf(
  { log_id: id }: { log_id: string },
  base: Tombstone | null,
): { n: number; head: string } {
  return base ?? { n: 0, head: firstHash(id) };
}

/** Verifies a chain entry by entry, independent of its storage. */
export function createChainCheck(parts: ChainCheckParts): ChainCheck {
  const { logId, isSigned, base, witness, claims } = parts;
  const start = parts.start ?? startOf({ log_id: logId }, base);
  const seen: ChainProgress = {
    entries: 0,
    kinds: {},
    head: start.head,
    n: start.n,
    records: 0,
    checkpoint: null,
    dropped: new Map(),
    restored: new Map(),
    lost: [],
    acceptedAt: 0,
    heads: new Map(),
    witnessed: witness && witness.n === base?.n ? base.head : undefined,
  };
  /** The witness covers only dropped entries. */
  const tooOld = witness !== undefined && witness.n < (base?.n ?? 0);

  const problem = (entry: number, reason: Reason, message: string): Problem => ({
    log: logId,
    entry,
    record: null,
    reason,
    message,
  });

  function count(n: number, hash: string, kind: string): void {
    seen.n = n;
    seen.head = hash;
    seen.entries++;
    seen.kinds[kind] = (seen.kinds[kind] ?? 0) + 1;
    if (witness?.n === n) seen.witnessed = hash;
  }

  /** Goes on after entries that are missing, where the next one says why and follows the last of them. */
  function passLost({ n, seq, entry }: StoredLink): void {
    const stated = seq === null && typeof entry === 'string' ? statedLoss(entry) : undefined;
    const here = { log: logId, from: seen.n + 1, to: n - 1, before: seen.head };
    if (!stated || !isAbout(stated, here) || !isSigned(lostText(stated), stated.signature)) return;
    const { from, to, head } = stated;
    seen.lost.push(stated);
    seen.n = to;
    seen.head = head;
    if (witness && witness.n >= from && witness.n <= to) seen.witnessed = witness.head;
  }

  /** Checks order and hash. */
  function badLink(item: StoredLink): Problem | null {
    const { n, entry, hash } = item;
    if (n > seen.n + 1) passLost(item);
    if (n > seen.n + 1) return problem(seen.n + 1, 'gap', `entries ${seen.n + 1} to ${n - 1} are missing`);
    if (n <= seen.n) return problem(n, 'order', `entry ${n} comes after entry ${seen.n}`);
    if (typeof entry === 'string' && nextHash(seen.head, entry) === hash) return null;
    const message = `entry ${n} or its hash was changed, or an entry before it was replaced`;
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
    count(n, hash, String(parsed.k));
    const stated = statement(parsed, previous, seq);
    if (stated !== undefined) return stated ? { problem: stated } : { claim: null };
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

  /** An entry that is not about a record: what is wrong with it. Undefined: it is about a record. */
  function statement(parsed: ParsedEntry, previous: string, seq: number | null): Problem | null | undefined {
    if (parsed.k === 'checkpoint') return checkpoint(parsed, previous, seq);
    if (parsed.k === 'dropped') return dropped(parsed, seq);
    if (parsed.k !== 'lost') return undefined;
    // Its signature was checked where entries were passed over; elsewhere it stands for none.
    const isPassed = seen.lost.at(-1)?.to === (parsed.n as number) - 1;
    return isPassed ? null : problem(parsed.n as number, 'gap', 'it names entries that are not missing');
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

  function vouch({ n, row, facet }: ChainItem): void {
    seen.records++;
    // The first record that names an end is signed first.
    for (const [log, head] of restoredHeads(row!, facet!))
      if (seen.heads.get(log)?.head !== head) seen.heads.set(log, { head, n });
    const gap = acceptedGap(row!, facet!);
    if (!gap) return;
    seen.restored.set(gap.record, gap);
    seen.acceptedAt = n;
  }

  return {
    logId,
    base,
    claims,
    seen,
    take(item) {
      const linked = link(item);
      // The record is named even if the entry itself is wrong.
      if ('problem' in linked) return withRecord(linked.problem, item.row);
      if (linked.claim === null) return null;
      const { claim } = linked;
      const found = checkRecord(claim, item.row, item.facet);
      if (found === 'vouched') vouch(item);
      claim.later = found === 'later';
      if (claim.later && item.row?.salt === null) claims.sawRedacted(claim);
      if (found === 'overtaken') claims.overtaken(claim);
      return typeof found === 'string' ? null : found;
    },
    advance(over) {
      const { entries, kinds, records, dropped, restored, lost, acceptedAt, heads } = seen;
      Object.assign(seen, over, {
        entries: entries + over.entries,
        kinds: addKinds([kinds, over.kinds]),
        records: records + over.records,
        checkpoint: over.checkpoint ?? seen.checkpoint,
        dropped: new Map([...dropped, ...over.dropped]),
        restored: new Map([...restored, ...over.restored]),
        lost: [...lost, ...over.lost],
        acceptedAt: Math.max(acceptedAt, over.acceptedAt),
        heads: new Map([...heads, ...over.heads]),
        witnessed: over.witnessed ?? seen.witnessed,
      });
    },
    end() {
      if (witness && !isSigned(checkpointText(witness), witness.signature))
        return problem(
          witness.n,
          'bad signature',
          'the given checkpoint is not signed by the key of this log',
        );
      if (!witness || tooOld) return null;
      if (seen.witnessed === undefined)
        return problem(
          seen.n + 1,
          'truncated',
          `the checkpoint covers ${witness.n} entries, the log ends after ${seen.n}: it is older than this checkpoint, or its end was cut off`,
        );
      if (seen.witnessed !== witness.head)
        return problem(witness.n, 'hash', `entry ${witness.n} is not the one that the checkpoint signs`);
      return null;
    },
  };
}

const statedLoss = (entry: string) => (entry.includes('"k":"lost"') ? readEntry(entry)?.lost : undefined);

type Place = Pick<LostEntries, 'log' | 'from' | 'to' | 'before'>;

const isAbout = (stated: Place, { log, from, to, before }: Place) =>
  stated.log === log && stated.from === from && stated.to === to && stated.before === before;

export function addKinds(all: ReadonlyArray<Record<string, number>>): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const each of all) for (const [kind, n] of Object.entries(each)) sums[kind] = (sums[kind] ?? 0) + n;
  return sums;
}

function withRecord(problem: Problem, row: ActivityRow | null): Problem {
  const about = problem.reason === 'hash' || problem.reason === 'order';
  const id: unknown = row?.id;
  return about && problem.record === null && typeof id === 'string' ? { ...problem, record: id } : problem;
}
