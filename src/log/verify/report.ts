import type { ActivityVerification, RemovedRecords } from '../../contract/activity.ts';
import type { Tombstone } from '../chain/hash-chain.ts';
import { addKinds, type ChainCheck } from './check-chain.ts';
import type { Problem } from './claim.ts';

const PROVES =
  'Every record is what was recorded when its entry was written, none is missing, none was added, up to the last checkpoint, as long as nobody else has the private key.';
const PROVES_RESTORED =
  'Every record that the log has is what was recorded when its entry was written, and none was added, up to the last checkpoint, as long as nobody else has the private key. Records are missing: the database was restored to an older state or has lost entries, and this was accepted. What the missing entries contained is unknown, unless a witness or a back-up has them.';
const PROVES_UNSIGNED =
  'Every record agrees with its entry, and the entries are linked to each other. Nothing shows who wrote them, because no checkpoint is signed yet.';
const UNSIGNED = 'Entries after the last checkpoint are linked but not signed yet. ';
const LIMITS =
  'The holder of the private key can rewrite everything that no checkpoint kept elsewhere covers. An end that was cut off together with the newer lines of checkpoints.log, activity-head.log and acknowledged.log is found only with a copy from elsewhere: see activity.witness, and verify with --witness FILE. The check does not prove that everything that happened was recorded. It does not cover the search index, which is derived: a search may miss a record. An audit uses neither the index nor the counts.';

export function reportOf(
  checks: readonly ChainCheck[],
  problem: Problem | null,
  ownLog: string | undefined,
): ActivityVerification {
  const own = checks.find(({ logId }) => logId === ownLog) ?? checks.at(-1)!;
  const { checkpoint } = own.seen;
  const restored = [...new Map(checks.flatMap(({ seen }) => [...seen.restored])).values()];
  return {
    verdict: problem ? 'broken' : 'intact',
    intact: problem === null,
    entries: checks.reduce((sum, { seen }) => sum + seen.entries, 0),
    entries_by_kind: addKinds(checks.map(({ seen }) => seen.kinds)),
    records: checks.reduce((sum, { seen }) => sum + seen.records, 0),
    head: own.seen.head,
    checkpoint: checkpoint && {
      log: checkpoint.log,
      n: checkpoint.n,
      head: checkpoint.head,
      time: new Date(checkpoint.time).toISOString(),
    },
    unsigned_entries: checks.reduce((sum, check) => sum + unsignedOf(check, checks), 0),
    logs: checks.map((check) => ({
      log: check.logId,
      entries: check.seen.entries,
      records: check.seen.records,
      head: check.seen.head,
      unsigned_entries: unsignedOf(check, checks),
    })),
    removed: checks.flatMap(({ base }) => (base ? [removedBy(base)] : [])),
    restored,
    ...(problem && { problem }),
    ...(checks.some(({ seen }) => seen.checkpoint)
      ? { proves: restored.length > 0 ? PROVES_RESTORED : PROVES, does_not_prove: UNSIGNED + LIMITS }
      : { proves: PROVES_UNSIGNED, does_not_prove: LIMITS }),
  };
}

const removedBy = ({ log, records, from, until }: Tombstone): RemovedRecords => ({
  log,
  records,
  from: new Date(from).toISOString(),
  until: new Date(until).toISOString(),
});

/** A log that a restore has ended is not signed any more; the signed record of the restore names its end. */
function unsignedOf(
  { logId, seen: { n, head, checkpoint } }: ChainCheck,
  all: readonly ChainCheck[],
): number {
  const isNamed = all.some(({ logId: other, seen }) => {
    const named = seen.heads.get(logId);
    return other !== logId && named?.head === head && named.n <= (seen.checkpoint?.n ?? 0);
  });
  return isNamed ? 0 : Math.max(0, n - (checkpoint ? checkpoint.n + 1 : 0));
}

export function unknownVerdict(why: string): ActivityVerification {
  return {
    verdict: 'unknown',
    intact: false,
    entries: 0,
    records: 0,
    head: null,
    checkpoint: null,
    unsigned_entries: 0,
    logs: [],
    removed: [],
    restored: [],
    why,
    proves: '',
    does_not_prove: LIMITS,
  };
}
