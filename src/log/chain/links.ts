import type { Clock } from '../../lib/clock.ts';
import type { ActivityRow } from '../record/activity-row.ts';
import {
  checkpointText,
  nextHash,
  recordDigest,
  tombstoneText,
  type Checkpoint,
  type RecordKind,
  type SealedFacet,
  type Tombstone,
} from './seal.ts';
import type { Signer } from './signer.ts';

/** An entry of a chain, to be stored. */
export interface Link {
  n: number;
  /** The record that it is about. */
  seq: number | null;
  entry: string;
  hash: string;
}

export interface Head {
  n: number;
  hash: string;
  /** Entries about records since the last checkpoint. */
  unsigned: number;
}

/** The end of one chain in memory: what is added is computed here, and stored by whoever knows the database. */
export interface Links {
  /** Added, and not known to be on disk yet. */
  readonly added: readonly Link[];
  append(kind: RecordKind, row: ActivityRow, facet: SealedFacet): void;
  /** Signs the head where something has been added since. */
  checkpoint(): void;
  /** The same, where enough has been added. */
  checkpointWhenDue(): void;
  /** Signs what retention leaves in place of the beginning of a log, and says so in this chain. */
  dropped(stone: Omit<Tombstone, 'time' | 'signature'>): Tombstone;
  /** What was added is on disk; gives the checkpoints among it. */
  committed(): Checkpoint[];
  /** What was added is not; the chain goes on from where it was, or from what was found on disk. */
  reset(found?: Head): void;
}

const CHECKPOINT_EVERY = 1000;

export function createLinks(parts: { logId: string; head: Head; signer: Signer; clock: Clock }): Links {
  const { logId, signer, clock } = parts;
  let kept = { ...parts.head };
  let head = { ...kept };
  let added: Link[] = [];
  let signed: Checkpoint[] = [];

  function add(seq: number | null, entry: string): void {
    const hash = nextHash(head.hash, entry);
    head.n++;
    head.hash = hash;
    added.push({ n: head.n, seq, entry, hash });
  }

  function checkpoint(): void {
    if (head.unsigned === 0) return;
    const statement = { log: logId, n: head.n, head: head.hash, time: clock.now() };
    const signature = signer.sign(checkpointText(statement));
    const { n, time } = statement;
    add(null, JSON.stringify({ n: n + 1, t: time, k: 'checkpoint', head: statement.head, signature }));
    head.unsigned = 0;
    signed.push({ ...statement, signature });
  }

  return {
    get added() {
      return added;
    },
    append(kind, row, facet) {
      const [n, digest] = [head.n + 1, recordDigest(row, facet)];
      // Not by JSON.stringify, as it is written for every call; no value needs escaping.
      add(row.seq, `{"n":${n},"t":${clock.now()},"k":"${kind}","id":"${row.id}","digest":"${digest}"}`);
      head.unsigned++;
    },
    checkpoint,
    checkpointWhenDue() {
      if (head.unsigned >= CHECKPOINT_EVERY) checkpoint();
    },
    dropped(about) {
      const stone = { ...about, time: clock.now() };
      const base = { ...stone, signature: signer.sign(tombstoneText(stone)) };
      add(null, JSON.stringify({ n: head.n + 1, t: stone.time, k: 'dropped', base }));
      head.unsigned++;
      return base;
    },
    committed() {
      kept = { ...head };
      added = [];
      return signed.splice(0);
    },
    reset(found = kept) {
      kept = { ...found };
      head = { ...kept };
      added = [];
      signed = [];
    },
  };
}
