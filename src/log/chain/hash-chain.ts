import { hash, randomBytes } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import type { ActivityRow, SealedFacet } from '../record/row.ts';

/**
 * The format of the hash chain, independent of the database. Each change of a record is one entry; each hash covers the one before it:
 * `h(n) = SHA-256("mcpproxy-log-1" h(n-1) length entry)`. Digests and hashes are base64url, so an entry is plain ASCII.
 */
export const TAG = 'mcpproxy-log-1';

/**
 * Kinds of entries, by the state of the record after them. An entry of an earlier state cannot be checked against a row in a later one.
 * `late`: the record was closed after it had been closed as `recovered`, because its writer was believed to be gone. `restored`: the database
 * had lost the record or its end, and its writer still had it.
 */
export const STATE = {
  opened: 0,
  closed: 1,
  recovered: 1,
  late: 1,
  adopted: 1,
  restored: 1,
  redacted: 2,
} as const;
export type RecordKind = keyof typeof STATE;

export const sha256 = (text: string): string => hash('sha256', text, 'base64url');

export const firstHash = (logId: string): string => sha256(`${TAG} ${logId}`);

export const nextHash = (previous: string, entry: string): string =>
  sha256(`${TAG} ${previous} ${entry.length} ${entry}`);

/** Values as one unambiguous text: each text is preceded by its length. */
export function canonical(values: readonly unknown[]): string {
  let text = '';
  for (const value of values) text += part(value);
  return text;
}

function part(value: unknown): string {
  if (typeof value === 'string') return `${value.length}:${value};`;
  if (value === null || value === undefined) return '-;';
  if (typeof value === 'number') return `#${value};`;
  return '?;'; // a blob, which the log never writes
}

/**
 * Covers everything that a reader sees of a record. The salt is removed with the payload, so the old digest does not allow guessing
 * the removed data; the entry of the redaction has a digest of the rest.
 */
export function recordDigest(row: ActivityRow, facet: SealedFacet): string {
  const names = facet.unlisted ? part(row.server_name) + part(row.tool_name) : '';
  return sha256(
    part(row.salt) +
      part(row.seq) +
      part(row.id) +
      part(row.ts) +
      facetPart(facet) +
      names +
      part(row.request_id) +
      part(row.session_id) +
      part(row.conversation_id) +
      part(row.client) +
      part(row.duration_ms) +
      part(row.error_code) +
      part(row.error_message) +
      part(row.response_truncated) +
      part(row.metadata) +
      part(row.arguments) +
      part(row.response),
  );
}

/** Cached, because the values of a facet never change and thousands of records share them. */
const facetParts = new WeakMap<SealedFacet, string>();

function facetPart(facet: SealedFacet): string {
  const known = facetParts.get(facet);
  if (known !== undefined) return known;
  const names = facet.unlisted ? [] : [facet.server_name, facet.tool_name];
  const made = canonical([facet.type, facet.source, facet.status, facet.operation_type, ...names]);
  facetParts.set(facet, made);
  return made;
}

/** The state of a row (see STATE), by its values. */
export function recordState(row: Pick<ActivityRow, 'salt'>, status: string): 0 | 1 | 2 {
  if (row.salt === null) return 2;
  return status === 'pending' ? 0 : 1;
}

/** A signed statement about the whole chain up to an entry. */
export interface Checkpoint {
  log: string;
  n: number;
  head: string;
  time: number;
  signature: string;
}

export const checkpointText = ({ log, n, head, time }: Omit<Checkpoint, 'signature'>): string =>
  `mcpproxy-checkpoint-1 ${log} ${n} ${head} ${time}`;

/** Replaces the beginning of a chain that retention dropped: how many records, from when until when, and where the rest begins. */
export interface Tombstone {
  log: string;
  n: number;
  head: string;
  records: number;
  from: number;
  until: number;
  time: number;
  signature: string;
}

export const tombstoneText = (stone: Omit<Tombstone, 'signature'>): string =>
  `mcpproxy-tombstone-1 ${stone.log} ${stone.n} ${stone.head} ${stone.records} ${stone.from} ${stone.until} ${stone.time}`;

/** States that the database lost entries that were stored: `from` to `to`. The entry about it follows the hash of the last one of them. */
export interface LostEntries {
  log: string;
  from: number;
  to: number;
  /** The hash of the entry that the database ended with. */
  before: string;
  /** The hash of entry `to`. */
  head: string;
  time: number;
  signature: string;
}

export const lostText = (lost: Omit<LostEntries, 'signature'>): string =>
  `mcpproxy-lost-1 ${lost.log} ${lost.from} ${lost.to} ${lost.before} ${lost.head} ${lost.time}`;

const SALT_LENGTH = 22;
let pool = '';
let used = 0;

export function newSalt(): string {
  if (used + SALT_LENGTH > pool.length) {
    pool = randomBytes(3 * 1024).toString('base64url');
    used = 0;
  }
  used += SALT_LENGTH;
  return pool.slice(used - SALT_LENGTH, used);
}

/** A chain entry to be stored. */
export interface Link {
  n: number;
  /** The record of the entry. */
  seq: number | null;
  entry: string;
  hash: string;
}

/** The number and hash of an entry. */
export interface EntryMark {
  n: number;
  hash: string;
}

export interface ChainHead extends EntryMark {
  /** Entries about records since the last checkpoint. */
  unsigned: number;
}

/** The end of one chain in memory. It computes new entries; the caller stores them. */
export interface Links {
  /** Added and not committed yet. */
  readonly added: readonly Link[];
  append(kind: RecordKind, row: ActivityRow, facet: SealedFacet): void;
  /** Signs the head if entries were added since the last checkpoint. */
  checkpoint(): void;
  /** The same, if enough entries were added. */
  checkpointWhenDue(): void;
  /** Signs the tombstone of a log and adds an entry about it to this chain. */
  dropped(stone: Omit<Tombstone, 'time' | 'signature'>): Tombstone;
  /** The database ends with `found`, before `head`: what is between is lost, and the next entry that is stored says so. */
  lost(found: EntryMark, head: EntryMark): void;
  /** The added entries are on disk. Returns the checkpoints among them. */
  committed(): Checkpoint[];
  /** The last entry that is on disk. */
  readonly stored: EntryMark;
  /** The added entries are discarded. The chain continues from the last commit, or from the given head. */
  reset(found?: ChainHead): void;
}

const CHECKPOINT_EVERY = 1000;

export function createLinks(parts: {
  logId: string;
  head: ChainHead;
  signer: { sign(text: string): string };
  clock: Clock;
}): Links {
  const { logId, signer, clock } = parts;
  let kept = { ...parts.head };
  let head = { ...kept };
  let added: Link[] = [];
  let signed: Checkpoint[] = [];
  let ending: EntryMark | undefined;

  function stateLost({ n: last, hash: before }: EntryMark): void {
    const lost = { log: logId, from: last + 1, to: head.n, before, head: head.hash, time: clock.now() };
    const signature = signer.sign(lostText(lost));
    add(null, JSON.stringify({ n: head.n + 1, t: lost.time, k: 'lost', lost: { ...lost, signature } }));
    head.unsigned++;
    checkpoint();
  }

  function reset(found: ChainHead): void {
    kept = { ...found };
    head = { ...kept };
    added = [];
    signed = [];
    if (ending) stateLost(ending);
  }

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
    lost(found, last) {
      ending = found;
      reset({ ...last, unsigned: 0 });
    },
    committed() {
      kept = { ...head };
      added = [];
      ending = undefined;
      return signed.splice(0);
    },
    get stored() {
      return kept;
    },
    reset(found) {
      if (found) ending = undefined;
      reset(found ?? kept);
    },
  };
}
