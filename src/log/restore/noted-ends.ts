import type { ActivityRollback } from '../../contract/activity.ts';
import { type EntryMark, firstHash } from '../chain/hash-chain.ts';
import type { HeadNote } from '../chain/head-note.ts';
import type { LogEnd, StoredEnds } from './rollback.ts';

/** `behind`: the database has lost entries that it had acknowledged. `other`: what is there is not an earlier state of the log. */
type Verdict = 'whole' | 'behind' | 'other';

/** `found`: how the log ends in the database. `atLast`: the hash that it has where the last acknowledged entry should be. */
export function judgeEnd(
  note: Pick<HeadNote, 'hashAt'>,
  log: string,
  { found, last, atLast }: { found: EntryMark; last: EntryMark; atLast: unknown },
): Verdict {
  if (found.n >= last.n) return atLast === last.hash ? 'whole' : 'other';
  const known = found.n === 0 ? firstHash(log) : note.hashAt(log, found.n);
  return known === found.hash ? 'behind' : 'other';
}

export interface NotedEnds {
  behind: Map<string, EntryMark>;
  lost: ActivityRollback | undefined;
  replaced: ActivityRollback | undefined;
}

/** Compares the ends of the logs with what the database has acknowledged to this proxy. */
export async function compareNoted(stored: StoredEnds, note: HeadNote): Promise<NotedEnds> {
  const behind = new Map<string, EntryMark>();
  const [lost, replaced]: [ActivityRollback[], ActivityRollback[]] = [[], []];
  for (const log of note.logs()) {
    const last = note.newest(log)!;
    const end = stored.ends.find((each) => each.log === log);
    if (!end) {
      replaced.push(goneLog(log, last));
      continue;
    }
    if (last.n < (end.base?.n ?? 0)) continue;
    const found = { n: end.n, hash: String(await hashIn(stored, end, end.n)) };
    const atLast = found.n >= last.n ? await hashIn(stored, end, last.n) : undefined;
    const verdict = judgeEnd(note, log, { found, last, atLast });
    if (verdict === 'behind') {
      behind.set(log, found);
      lost.push(lostEntries(log, found, last));
    }
    if (verdict === 'other') replaced.push(otherLog(log, found, last));
  }
  return { behind, lost: all(lost), replaced: all(replaced) };
}

async function hashIn(stored: StoredEnds, { log, base }: LogEnd, n: number): Promise<unknown> {
  if (n === 0) return firstHash(log);
  return n === base?.n ? base.head : stored.hashAt(log, n);
}

/** What the database has lost, for everybody who has to know. */
export function lostEntries(log: string, found: EntryMark, last: EntryMark): ActivityRollback {
  const missing = last.n - found.n;
  return {
    reason: `the database has lost what it had acknowledged (the activity log ends with entry ${found.n}, not ${last.n}): it failed over to a server that lacked it, or was replaced or put back`,
    missing,
    logs: [{ log, entries: found.n, expected: last.n, missing, head: found.hash }],
  };
}

function otherLog(log: string, found: EntryMark, last: EntryMark): ActivityRollback {
  const missing = Math.max(0, last.n - found.n);
  return {
    reason: `log ${log} in the database is not the one that was written: entry ${Math.min(found.n, last.n)} differs from what was acknowledged, or too many are missing to tell (it ends with entry ${found.n}, ${last.n} were acknowledged). The database was replaced or put back`,
    missing,
    logs: [{ log, entries: found.n, expected: last.n, missing, head: found.hash }],
  };
}

const goneLog = (log: string, last: EntryMark): ActivityRollback => ({
  reason: `log ${log} with ${last.n} acknowledged entries is missing: the database was deleted, emptied or replaced`,
  missing: last.n,
  logs: [{ log, entries: 0, expected: last.n, missing: last.n }],
});

function all(found: readonly ActivityRollback[]): ActivityRollback | undefined {
  if (found.length === 0) return undefined;
  return {
    reason: found.map(({ reason }) => reason).join('; '),
    missing: found.reduce((sum, { missing }) => sum + missing, 0),
    logs: found.flatMap(({ logs }) => logs),
  };
}
