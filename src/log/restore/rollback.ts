import type { ActivityRollback } from '../../contract/activity.ts';
import { counted } from '../../lib/visible-text.ts';
import { CHECKPOINT_FILE, newestOf } from '../chain/checkpoint-file.ts';
import { type Checkpoint, type LostEntries, checkpointText } from '../chain/hash-chain.ts';

/** The end of a log in the database. */
export interface LogEnd {
  log: string;
  publicKey: string;
  /** Number of the last entry. */
  n: number;
  /** Entries that retention has dropped. */
  base: { n: number; head: string } | null;
  /** The last checkpoints in the chain, newest first. */
  checkpoints: Checkpoint[];
  /** What the database has lost, as the chain says: the newest of such statements. */
  lost: ReadonlyArray<Pick<LostEntries, 'from' | 'to'>>;
}

export interface StoredEnds {
  ends: readonly LogEnd[];
  hashAt(log: string, n: number): Promise<unknown>;
}

/** What the files of the data directory say about the ends. */
export interface LocalCheckpoints {
  head: Map<string, Checkpoint>;
  lines: Map<string, Checkpoint>;
  /** What is missing of this log was found out already. */
  isTold?: (log: string) => boolean;
}

interface Trust {
  /** Public keys of this data directory. */
  keys: readonly string[];
  isSigned: (text: string, signature: string) => boolean;
}

/** Compares the ends of the logs with the last checkpoints of the data directory. Undefined where nothing is missing. */
export async function findRollback(
  stored: StoredEnds,
  local: LocalCheckpoints,
  trust: Trust,
): Promise<ActivityRollback | undefined> {
  const logs: ActivityRollback['logs'] = [];
  const reasons: string[] = [];
  for (const checkpoint of newestOf(local.head, local.lines).values()) {
    if (local.isTold?.(checkpoint.log)) continue;
    const end = stored.ends.find(({ log }) => log === checkpoint.log);
    const says = await doubt(checkpoint, end, { stored, trust });
    if (says === undefined) continue;
    const entries = end?.n ?? 0;
    const head = entries > 0 ? await stored.hashAt(checkpoint.log, entries) : undefined;
    reasons.push(says);
    logs.push({
      log: checkpoint.log,
      entries,
      expected: checkpoint.n,
      missing: Math.max(0, checkpoint.n - entries),
      ...(typeof head === 'string' && { head }),
    });
  }
  if (logs.length === 0 && isWithoutLines(stored, local, trust))
    reasons.push(
      `${CHECKPOINT_FILE} has no line of the activity log, although the log contains signed checkpoints: whether its end is missing cannot be told`,
    );
  if (reasons.length === 0) return undefined;
  return { reason: reasons.join('; '), missing: logs.reduce((sum, { missing }) => sum + missing, 0), logs };
}

async function doubt(
  { log, n, head, time, signature }: Checkpoint,
  end: LogEnd | undefined,
  { stored, trust }: { stored: StoredEnds; trust: Trust },
): Promise<string | undefined> {
  if (!trust.isSigned(checkpointText({ log, n, head, time }), signature))
    return `the last checkpoint of log ${log} is not signed by a key of the data directory`;
  if (!end)
    return `log ${log} with ${counted(n, 'entry', 'entries')} is missing: the database was deleted, emptied or replaced`;
  if (end.n < n)
    return `the activity log has fewer entries than its last checkpoint names (${end.n}, not ${n}): the database was deleted, replaced or put back`;
  if (n < (end.base?.n ?? 0) || end.lost.some(({ from, to }) => n >= from && n <= to)) return undefined;
  const found = n === end.base?.n ? end.base.head : await stored.hashAt(log, n);
  return found === head
    ? undefined
    : `entry ${n} of log ${log} is not the one that its checkpoint signs: the database was replaced or put back`;
}

/** With a single checkpoint its line may not have been written before a crash. A copy of the data directory has lines of another log. */
function isWithoutLines(
  { ends }: StoredEnds,
  { lines }: LocalCheckpoints,
  { keys, isSigned }: Trust,
): boolean {
  const own = ends.filter(
    ({ publicKey, checkpoints }) =>
      keys.some((key) => key.trim() === publicKey.trim()) &&
      checkpoints.filter((each) => isSigned(checkpointText(each), each.signature)).length > 1,
  );
  return own.length > 0 && own.every(({ log }) => !lines.has(log));
}
