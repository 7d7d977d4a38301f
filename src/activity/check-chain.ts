import type { ActivityRow } from './row.ts';
import {
  checkpointText,
  firstHash,
  nextHash,
  recordDigest,
  STATE,
  stateOf,
  tombstoneText,
  type Checkpoint,
  type RecordKind,
  type SealedFacet,
  type Tombstone,
} from './seal.ts';

/** Why a log is not what was written. */
export type Reason =
  | 'hash'
  | 'gap'
  | 'order'
  | 'truncated'
  | 'bad signature'
  | 'row differs'
  | 'row missing'
  | 'row without entry';

export interface Problem {
  log: string;
  entry: number;
  record: string | null;
  reason: Reason;
  message: string;
}

/** An entry as it is stored, with the record that it is about as that is stored. */
export interface ChainItem {
  n: number;
  seq: number | null;
  entry: unknown;
  hash: unknown;
  row: ActivityRow | null;
  facet: SealedFacet | undefined;
}

export interface ChainCheckParts {
  logId: string;
  isSigned: (text: string, signature: unknown) => boolean;
  /** Where the chain begins, once retention has dropped what came before. */
  base: Tombstone | null;
  /** A checkpoint from elsewhere that the chain must contain. */
  witness?: Checkpoint | undefined;
}

export interface ChainCheck {
  /** Takes the entries one by one, in order; gives the first thing that is wrong. */
  take(item: ChainItem): Problem | null;
  /** What can only be said once all entries were seen. */
  end(): Problem | null;
  readonly seen: {
    entries: number;
    head: string;
    n: number;
    /** Records whose present state an entry vouches for. */
    records: number;
    checkpoint: Checkpoint | null;
    /** Statements of retention, by the log that they are about; the last counts. */
    dropped: Map<string, Tombstone>;
  };
}

interface Parsed {
  n?: unknown;
  t?: unknown;
  k?: unknown;
  id?: unknown;
  digest?: unknown;
  head?: unknown;
  signature?: unknown;
  base?: Tombstone;
}

/** Verifies a chain, link by link, without knowing where it is stored. */
export function createChainCheck({ logId, isSigned, base, witness }: ChainCheckParts): ChainCheck {
  const seen: ChainCheck['seen'] = {
    entries: 0,
    head: base?.head ?? firstHash(logId),
    n: base?.n ?? 0,
    records: 0,
    checkpoint: null,
    dropped: new Map(),
  };
  const open = new Set<string>();
  let witnessed = witness === undefined || witness.n <= (base?.n ?? 0);
  let witnessFound: string | undefined = witness && witness.n === base?.n ? base.head : undefined;

  const problem = (entry: number, record: unknown, reason: Reason, message: string): Problem => ({
    log: logId,
    entry,
    record: typeof record === 'string' ? record : null,
    reason,
    message,
  });

  function take({ n, seq, entry, hash, row, facet }: ChainItem): Problem | null {
    const id = row?.id ?? null;
    if (n > seen.n + 1)
      return problem(seen.n + 1, null, 'gap', `entries ${seen.n + 1} to ${n - 1} are missing`);
    if (n <= seen.n) return problem(n, id, 'order', `entry ${n} comes after entry ${seen.n}`);
    if (typeof entry !== 'string' || nextHash(seen.head, entry) !== hash)
      return problem(
        n,
        id,
        'hash',
        `entry ${n} or its hash was changed, or an entry before it was exchanged`,
      );
    const previous = seen.head;
    const parsed = parse(entry);
    if (!parsed || parsed.n !== n) return problem(n, id, 'order', `entry ${n} says that it is another one`);
    seen.n = n;
    seen.head = hash;
    seen.entries++;
    if (witness?.n === n) {
      witnessed = true;
      witnessFound = hash;
    }
    if (parsed.k === 'checkpoint') return checkpoint(parsed, previous, seq);
    if (parsed.k === 'dropped') return dropped(parsed, seq);
    return record(parsed, seq, row, facet);
  }

  function checkpoint(
    { n, t, head, signature }: Parsed,
    previous: string,
    seq: number | null,
  ): Problem | null {
    const statement = { log: logId, n: (n as number) - 1, head: previous, time: t as number };
    if (head !== previous || seq !== null || !isSigned(checkpointText(statement), signature))
      return problem(
        n as number,
        null,
        'bad signature',
        `checkpoint ${String(n)} does not sign what stands before it`,
      );
    seen.checkpoint = { ...statement, signature: signature as string };
    return null;
  }

  function dropped({ n, base: stone }: Parsed, seq: number | null): Problem | null {
    if (!stone || seq !== null || !isSigned(tombstoneText(stone), stone.signature))
      return problem(n as number, null, 'bad signature', `entry ${String(n)} of retention is not signed`);
    seen.dropped.set(stone.log, stone);
    return null;
  }

  function record(
    parsed: Parsed,
    seq: number | null,
    row: ActivityRow | null,
    facet: SealedFacet | undefined,
  ): Problem | null {
    const { n, k, id } = parsed as { n: number; k: RecordKind; id: string };
    const state = STATE[k] as 0 | 1 | 2 | undefined;
    if (state === undefined) return problem(n, id, 'order', `entry ${n} is of a kind that nobody writes`);
    if (k === 'opened') open.add(id);
    else if (!open.delete(id) && k === 'recovered' && !base)
      return problem(n, id, 'order', `record ${id} was closed after a crash, but never opened`);
    if (!row) return problem(n, id, 'row missing', `record ${id} is gone, and retention did not drop it`);
    if (!facet) return problem(n, id, 'row differs', `record ${id} points at a facet that does not exist`);
    const now = stateOf(row, facet.status);
    if (row.id === id && row.seq === seq && now > state) return null;
    if (row.id !== id || now < state || recordDigest(row, facet) !== parsed.digest)
      return problem(n, id, 'row differs', `record ${id} is not what was recorded`);
    seen.records++;
    return null;
  }

  return {
    take,
    seen,
    end() {
      if (witness && !isSigned(checkpointText(witness), witness.signature))
        return problem(
          witness.n,
          null,
          'bad signature',
          'the checkpoint that was given is not signed by the key of this log',
        );
      if (!witnessed)
        return problem(
          seen.n + 1,
          null,
          'truncated',
          `the checkpoint knows ${witness!.n} entries, the log ends after ${seen.n}`,
        );
      if (witness && witnessFound !== undefined && witnessFound !== witness.head)
        return problem(
          witness.n,
          null,
          'hash',
          `entry ${witness.n} is not the one that the checkpoint knows`,
        );
      return null;
    },
  };
}

function parse(entry: string): Parsed | null {
  try {
    return JSON.parse(entry) as Parsed;
  } catch {
    return null;
  }
}
