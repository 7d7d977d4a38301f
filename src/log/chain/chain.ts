import { newId, type Clock } from '../../lib/clock.ts';
import type { Sqlite } from '../../db/index.ts';
import {
  type Checkpoint,
  type ChainHead,
  type Link,
  type RecordKind,
  type Tombstone,
  createLinks,
  firstHash,
} from './hash-chain.ts';
import { judgeEnd } from '../restore/noted-ends.ts';
import type { Restore } from '../restore/restore.ts';
import type { ActivityRow, SealedFacet } from '../record/row.ts';
import type { HeadNote } from './head-note.ts';
import type { Signer } from './signer.ts';

/** Positions reserved for the entries of one log. */
export const LOG_SPAN = 2 ** 40;

/** Appends to the chain of this writer, in the same transaction as the records. */
export interface Chain {
  readonly logId: string;
  /** This is the first log in the database. */
  readonly first: boolean;
  /** Must be the last call of a write: the chain in memory cannot undo a part of a write. */
  append(kind: RecordKind, row: ActivityRow, facet: SealedFacet): void;
  /** Signs the head at the end of this transaction, if entries were added. */
  checkpoint(): void;
  /** Replaces everything up to a position by a signed tombstone, also in a log of an earlier writer. */
  drop(stretch: { pos: number; hash: string; records: number; from: number; until: number }): void;
  /** The hash before the first entry that is left of the log with this position. */
  startOf(pos: number): string;
  /** The last position of the log of this writer. */
  end(): number;
  beforeCommit(): void;
  committed(): void;
  rolledBack(): void;
  /** True where the file that is there now lacks what was stored. */
  reopened(): boolean;
}

export interface ChainParts {
  sqlite: Sqlite;
  signer: Signer;
  clock: Clock;
  note: HeadNote;
  restore: Pick<Restore, 'ended' | 'behind' | 'lost' | 'replaced'>;
  /** Called for each checkpoint that is on disk. */
  onCheckpoint: (checkpoint: Checkpoint) => void;
}

export function createChain({ sqlite, signer, clock, note, restore, onCheckpoint }: ChainParts): Chain {
  const { log, logId, first } = openLog(sqlite, signer, restore.ended);
  const insert = createInsert(sqlite, log * LOG_SPAN);
  const saveBase = sqlite.prepare('UPDATE activity_log SET base = ? WHERE log = ?');
  const load = () => loadHead(sqlite, log, logId);
  const hash = sqlite.prepare('SELECT hash FROM activity_journal WHERE pos = ?');
  const links = createLinks({ logId, head: load(), signer, clock });
  const behind = restore.behind.get(logId);
  if (behind) links.lost(behind, note.newest(logId)!);
  let isAsked = false;

  /** Another file may be in its place, with an earlier state of the log. */
  function reopened(): boolean {
    if (idOf(sqlite, log) !== logId) throw otherFile(restore, logId);
    const [found, last] = [load(), links.stored];
    const atLast = (hash.get(log * LOG_SPAN + last.n) as { hash: unknown } | undefined)?.hash ?? found.hash;
    const verdict = judgeEnd(note, logId, { found, last, atLast });
    if (verdict === 'other') throw otherFile(restore, logId);
    if (verdict === 'whole') links.reset(found);
    else {
      restore.lost(logId, found, last);
      links.lost(found, { ...last });
    }
    return verdict === 'behind';
  }

  return {
    logId,
    first,
    append: (kind, row, facet) => links.append(kind, row, facet),
    checkpoint() {
      isAsked = true;
    },
    drop({ pos, hash, records, from, until }) {
      const of = Math.floor(pos / LOG_SPAN);
      const before = baseOf(sqlite, of);
      const base = links.dropped({
        log: of === log ? logId : idOf(sqlite, of),
        n: pos % LOG_SPAN,
        head: hash,
        records: records + (before?.records ?? 0),
        from: before?.from ?? from,
        until,
      });
      saveBase.run(JSON.stringify(base), of);
    },
    startOf(pos) {
      const of = Math.floor(pos / LOG_SPAN);
      return baseOf(sqlite, of)?.head ?? firstHash(idOf(sqlite, of));
    },
    end: () => log * LOG_SPAN + load().n,
    beforeCommit() {
      if (isAsked) links.checkpoint();
      else links.checkpointWhenDue();
      isAsked = false;
      if (links.added.length > 0) insert(links.added);
    },
    committed() {
      const last = links.added.at(-1);
      const signed = links.committed();
      if (last) note.stored(logId, last);
      for (const each of signed) onCheckpoint(each);
    },
    rolledBack() {
      isAsked = false;
      links.reset();
    },
    reopened,
  };
}

/** Nothing is written to it: the key would sign two different entries with the same number. */
function otherFile(restore: Pick<Restore, 'replaced'>, logId: string): Error {
  const reason = `the database was replaced by one whose activity log is not an earlier state of log ${logId}`;
  restore.replaced(logId, reason);
  return new Error(`${reason}; put the right one back, or restart to begin a new log`);
}

const MANY = 16;

/** Several rows per statement: half of the cost of a small row is the call into SQLite. */
function createInsert(sqlite: Sqlite, low: number): (entries: readonly Link[]) => void {
  const sql = 'INSERT INTO activity_journal VALUES ';
  const one = sqlite.prepare(`${sql} (?, ?, ?, ?)`);
  const many = sqlite.prepare(sql + Array.from({ length: MANY }, () => '(?, ?, ?, ?)').join());
  return (entries) => {
    let i = 0;
    for (; i + MANY <= entries.length; i += MANY) {
      const values: Array<string | number | null> = [];
      for (let k = i; k < i + MANY; k++) {
        const { n, seq, entry, hash } = entries[k]!;
        values.push(low + n, seq, entry, hash);
      }
      many.put(...values);
    }
    for (; i < entries.length; i++) {
      const { n, seq, entry, hash } = entries[i]!;
      one.put(low + n, seq, entry, hash);
    }
  };
}

/**
 * The log of this signing key, or a new one. A new key cannot continue the log of a lost key, and a log that ends before its checkpoint is
 * not continued either: the key would sign two different entries with the same number.
 */
function openLog(
  sqlite: Sqlite,
  signer: Signer,
  ended: ReadonlySet<string>,
): { log: number; logId: string; first: boolean } {
  const rows = sqlite
    .prepare('SELECT log, log_id, public_key FROM activity_log ORDER BY log')
    .all() as Array<{
    log: number;
    log_id: string;
    public_key: string;
  }>;
  const own = rows.findLast((row) => row.public_key === signer.publicKey && !ended.has(row.log_id));
  if (own) return { log: own.log, logId: own.log_id, first: false };
  const [log, logId] = [(rows.at(-1)?.log ?? 0) + 1, newId()];
  sqlite.prepare('INSERT INTO activity_log VALUES (?, ?, ?, NULL)').run(log, logId, signer.publicKey);
  return { log, logId, first: rows.length === 0 };
}

function idOf(sqlite: Sqlite, log: number): string {
  const row = sqlite.prepare('SELECT log_id FROM activity_log WHERE log = ?').get(log);
  return (row as { log_id: string } | undefined)?.log_id ?? '';
}

function baseOf(sqlite: Sqlite, log: number): Tombstone | null {
  const row = sqlite.prepare('SELECT base FROM activity_log WHERE log = ?').get(log) as {
    base: string | null;
  };
  return row.base === null ? null : (JSON.parse(row.base) as Tombstone);
}

function loadHead(sqlite: Sqlite, log: number, logId: string): ChainHead {
  const low = log * LOG_SPAN;
  const last = sqlite
    .prepare(
      'SELECT pos, entry, hash FROM activity_journal WHERE pos > ? AND pos < ? ORDER BY pos DESC LIMIT 1',
    )
    .get(low, low + LOG_SPAN) as { pos: number; entry: string; hash: string } | undefined;
  const base = baseOf(sqlite, log);
  if (!last) return { n: base?.n ?? 0, hash: base?.head ?? firstHash(logId), unsigned: 0 };
  const isSigned = last.entry.includes('"k":"checkpoint"');
  return { n: last.pos - low, hash: last.hash, unsigned: isSigned ? 0 : 1 };
}
