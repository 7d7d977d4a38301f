import type { Claim } from './problem.ts';
import { STATE, type RecordKind, type Tombstone } from '../chain/seal.ts';

/** What an entry of the chain says; nothing of it is believed yet. */
export interface ParsedEntry {
  n?: unknown;
  t?: unknown;
  k?: unknown;
  id?: unknown;
  digest?: unknown;
  head?: unknown;
  signature?: unknown;
  base?: Tombstone;
}

/** The form in which entries about records are written; read without the general parser, as there are millions of them. */
const RECORD = /^\{"n":(\d+),"t":(\d+),"k":"([a-z]+)","id":"([0-9A-Z]+)","digest":"([\w-]+)"\}$/;

export function readEntry(entry: string): ParsedEntry | null {
  const plain = RECORD.exec(entry);
  if (plain) return { n: Number(plain[1]), k: plain[3], id: plain[4], digest: plain[5] };
  try {
    return JSON.parse(entry) as ParsedEntry;
  } catch {
    return null;
  }
}

/** What an entry claims of a record; null where it is of no kind that is written about records. */
export function claimOf(
  log: string,
  { k, id, digest }: ParsedEntry,
  { n, seq }: { n: number; seq: number | null },
): Claim | null {
  if (typeof k !== 'string' || !Object.hasOwn(STATE, k)) return null;
  return { log, n, seq, kind: k as RecordKind, id: id as string, digest, later: false };
}
