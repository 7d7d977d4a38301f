import type { ActivityVerification } from '../../contract/activity.ts';
import type { ChainCheck } from './check-chain.ts';
import type { Problem } from './claim.ts';

const PROVES =
  'Every record is what was recorded when its entry was written, none is missing, none was added, up to the last checkpoint, as long as nobody else has the private key.';
const LIMITS =
  'Entries after the last checkpoint are linked but not signed yet. The holder of the private key can rewrite everything since the last checkpoint that you keep elsewhere. An end that was cut off together with the newer lines of checkpoints.log and activity-head.log is found only with a copy from elsewhere: see activity.witness, and verify with --witness FILE. The check does not prove that everything that happened was recorded. It does not cover the search index and the counts, which are derived.';

export function reportOf(
  checks: readonly ChainCheck[],
  problem: Problem | null,
  ownLog: string | undefined,
): ActivityVerification {
  const own = checks.find(({ logId }) => logId === ownLog) ?? checks.at(-1)!;
  const { checkpoint } = own.seen;
  return {
    verdict: problem ? 'broken' : 'intact',
    intact: problem === null,
    entries: checks.reduce((sum, { seen }) => sum + seen.entries, 0),
    records: checks.reduce((sum, { seen }) => sum + seen.records, 0),
    head: own.seen.head,
    checkpoint: checkpoint && {
      log: checkpoint.log,
      n: checkpoint.n,
      head: checkpoint.head,
      time: new Date(checkpoint.time).toISOString(),
    },
    unsigned_entries: unsignedOf(own),
    logs: checks.map((check) => ({
      log: check.logId,
      entries: check.seen.entries,
      records: check.seen.records,
      head: check.seen.head,
      unsigned_entries: unsignedOf(check),
    })),
    ...(problem && { problem }),
    proves: PROVES,
    does_not_prove: LIMITS,
  };
}

const unsignedOf = ({ seen: { n, checkpoint } }: ChainCheck) =>
  Math.max(0, n - (checkpoint ? checkpoint.n + 1 : 0));

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
    why,
    proves: PROVES,
    does_not_prove: LIMITS,
  };
}
