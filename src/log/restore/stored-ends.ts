import type { Sqlite } from '../../db/index.ts';
import { LOG_SPAN } from '../chain/chain.ts';
import type { Checkpoint, Tombstone } from '../chain/hash-chain.ts';
import { readEntry } from '../verify/claim.ts';
import type { LogRow } from '../verify/verification.ts';
import type { LogEnd, StoredEnds } from './rollback.ts';

/** Entries that are not about a record, per log: enough to contain two checkpoints. */
export const STATEMENTS = 8;

/** The ends of the logs in an SQLite file. */
export function readStoredEnds(sqlite: Sqlite): StoredEnds {
  const logs = sqlite.prepare('SELECT * FROM activity_log ORDER BY log').all() as LogRow[];
  const inLog = 'pos > CAST(? AS INTEGER) AND pos < CAST(? AS INTEGER)';
  const last = sqlite.prepare(`SELECT max(pos) AS pos FROM activity_journal WHERE ${inLog}`);
  const statements = sqlite.prepare(
    `SELECT entry FROM activity_journal WHERE ${inLog} AND seq IS NULL ORDER BY pos DESC LIMIT ${STATEMENTS}`,
  );
  const hash = sqlite.prepare('SELECT hash FROM activity_journal WHERE pos = ?');
  const rangeOf = ({ log }: LogRow): [number, number] => [log * LOG_SPAN, (log + 1) * LOG_SPAN];
  return {
    ends: logs.map((log) => {
      const { pos } = last.get(...rangeOf(log)) as { pos: number | null };
      const entries = statements.all(...rangeOf(log)) as Array<{ entry: unknown }>;
      return endOf(log, pos === null ? undefined : pos % LOG_SPAN, entries);
    }),
    async hashAt(id, n) {
      const found = logs.find(({ log_id: each }) => each === id);
      return found && (hash.get(found.log * LOG_SPAN + n) as { hash: unknown } | undefined)?.hash;
    },
  };
}

/** `entries`: the last ones that are not about a record. */
export function endOf(
  { log_id: log, public_key: publicKey, base }: LogRow,
  n: number | undefined,
  entries: ReadonlyArray<{ entry: unknown }>,
): LogEnd {
  const stone = base === null ? null : (JSON.parse(base) as Tombstone);
  return {
    log,
    publicKey,
    n: n ?? stone?.n ?? 0,
    base: stone,
    checkpoints: entries.flatMap(({ entry }) => checkpointIn(log, entry) ?? []),
    lost: entries.flatMap(({ entry }) => (typeof entry === 'string' && readEntry(entry)?.lost) || []),
  };
}

function checkpointIn(log: string, text: unknown): Checkpoint | undefined {
  const { n, t, k, head, signature } = (typeof text === 'string' && readEntry(text)) || {};
  if (k !== 'checkpoint' || typeof n !== 'number' || typeof t !== 'number') return undefined;
  if (typeof head !== 'string' || typeof signature !== 'string') return undefined;
  return { log, n: n - 1, head, time: t, signature };
}
