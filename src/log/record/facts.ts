import type { ActivitySource, ActivityStatus, ActivityType } from '../../contract/activity.ts';
import type { OperationType } from '../../contract/operation.ts';
import type { SqliteDatabase } from '../../db/index.ts';
import { LOG_SPAN } from '../chain/chain.ts';
import type { RecordKind } from '../chain/hash-chain.ts';
import { type StoredStatus, shownStatus, shownType } from './row.ts';

/** A position in the chain of one writer. Positions have no gaps and are only appended. */
export interface Position {
  log: string;
  n: number;
}

/** A chain entry about a record: it was opened, closed, redacted, … */
export interface Fact extends Position {
  /** Milliseconds. */
  time: number;
  kind: RecordKind;
  id: string;
  type: ActivityType;
  /** `pending` for the entry that opened the record; otherwise the current status. */
  status: ActivityStatus;
}

/** The end of a log, and its first entry: retention has dropped everything before `first`. */
export interface Head extends Position {
  first: number;
  /** Time of the last entry in milliseconds; 0 if there is none. */
  time: number;
}

export interface Facts {
  /** Entries of a log after a position, oldest first, without those that retention dropped. */
  after(position: Position, limit: number): Promise<Fact[]>;
  heads(): Promise<Head[]>;
  /** Calls the listener when any log may have grown. Returns the function that unsubscribes. */
  onGrown(listener: () => void): () => void;
}

export interface FactRow {
  n: number;
  entry: string;
  type: ActivityType;
  source: ActivitySource;
  operation_type: OperationType | null;
  status: StoredStatus;
  server_name: string | null;
  tool_name: string | null;
  unlisted: number;
}

export function createFacts({ sqlite, onCommit }: Pick<SqliteDatabase, 'sqlite' | 'onCommit'>): Facts {
  let listeners: Set<() => void> | undefined;

  /** Commits are watched from the first listener on. */
  function watchCommits(): Set<() => void> {
    const made = new Set<() => void>();
    onCommit({
      beforeCommit: () => {},
      committed: () => made.forEach((listener) => listener()),
      rolledBack: () => {},
    });
    return made;
  }

  const numberOf = sqlite.prepare('SELECT log FROM activity_log WHERE log_id = ?');
  const after = sqlite.prepare(`
    SELECT j.pos - CAST(?1 AS INTEGER) AS n, j.entry, f.type, f.source, f.operation_type, f.status,
      f.server_name, f.tool_name, f.unlisted
    FROM activity_journal j JOIN activity a ON a.seq = j.seq JOIN activity_facet f ON f.id = a.facet_id
    WHERE j.pos > CAST(?2 AS INTEGER) AND j.pos < CAST(?3 AS INTEGER) ORDER BY j.pos LIMIT ?4`);
  const heads = sqlite.prepare(
    `SELECT log_id AS log, base, ${endOf('entry', 'DESC')} AS last, ${endOf('entry', 'ASC')} AS oldest FROM activity_log`,
  );
  return {
    async after({ log, n }, limit) {
      const found = numberOf.get(log) as { log: number } | undefined;
      if (!found) return [];
      const low = found.log * LOG_SPAN;
      const rows = after.all(low, low + n, low + LOG_SPAN, limit) as FactRow[];
      return rows.map((row) => factOf(log, row));
    },
    heads: async () => (heads.all() as HeadRow[]).map(headOf),
    onGrown(listener) {
      const all = (listeners ??= watchCommits());
      all.add(listener);
      return () => all.delete(listener);
    },
  };
}

const endOf = (column: string, order: 'ASC' | 'DESC') => `(
  SELECT ${column} FROM activity_journal
  WHERE pos > log * ${LOG_SPAN} AND pos < (log + 1) * ${LOG_SPAN} ORDER BY pos ${order} LIMIT 1)`;

/** The first and the last entry of a log, and the tombstone of what retention dropped. */
export interface HeadRow {
  log: string;
  base: string | null;
  oldest: string | null;
  last: string | null;
}

export function headOf({ log, base, oldest, last }: HeadRow): Head {
  const place = (entry: string | null) =>
    entry === null ? null : (JSON.parse(entry) as { n: number; t: number });
  const dropped = base === null ? 0 : (JSON.parse(base) as { n: number }).n;
  const end = place(last);
  return { log, n: end?.n ?? dropped, first: place(oldest)?.n ?? dropped + 1, time: end?.t ?? 0 };
}

export function factOf(log: string, row: FactRow): Fact {
  const { n, entry, status } = row;
  const { t: time, k: kind, id } = JSON.parse(entry) as { t: number; k: RecordKind; id: string };
  const type = shownType({ ...row, unlisted: row.unlisted === 1 });
  return { log, n, time, kind, id, type, status: kind === 'opened' ? 'pending' : shownStatus(status) };
}

export interface FoundIn {
  id: string;
  /** Milliseconds: when the record was opened and, if known, closed. */
  opened: number;
  closed?: number;
}

/** Most entries read after a time before the search gives up. */
const LOOKED_AT = 2000;
const PAGE = 500;

/**
 * The chain entries about a record. There is no index from records to entries, because every call would pay for it. Entries are in
 * the order of their time, so a binary search finds them.
 */
export async function findFacts(facts: Facts, record: FoundIn): Promise<Fact[]> {
  const found = new Map<string, Fact>();
  for (const head of await facts.heads())
    for (const time of new Set([record.opened, record.closed ?? record.opened]))
      for (const fact of await near(facts, head, { time, id: record.id }))
        found.set(`${fact.log} ${fact.n}`, fact);
  return [...found.values()].sort((a, b) => a.time - b.time || a.n - b.n);
}

async function near(facts: Facts, head: Head, { time, id }: { time: number; id: string }): Promise<Fact[]> {
  let n = (await firstAt(facts, head, time)) - 1;
  const found: Fact[] = [];
  for (let looked = 0; looked < LOOKED_AT; looked += PAGE) {
    const page = await facts.after({ log: head.log, n }, PAGE);
    found.push(...page.filter((fact) => fact.id === id));
    if (page.length < PAGE || found.length > 0) break;
    n = page.at(-1)!.n;
  }
  return found;
}

/** Number of the first entry that is not older than the time. */
async function firstAt(facts: Facts, { log, first, n }: Head, time: number): Promise<number> {
  let [low, high] = [first, n + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [fact] = await facts.after({ log, n: middle - 1 }, 1);
    if (fact && fact.time < time) low = Math.max(fact.n, middle) + 1;
    else high = middle;
  }
  return low;
}
