import type { ActivityVerification, WitnessComparison } from '../../contract/activity.ts';
import { parseCheckpoint } from '../chain/checkpoint-file.ts';
import { type Checkpoint, type Tombstone, checkpointText } from '../chain/hash-chain.ts';

interface WitnessLines {
  /** In order, by log. */
  checkpoints: Map<string, Checkpoint[]>;
  /** Lines with a checkpoint that none of the keys has signed. */
  ignored: number;
}

const SLICE = 100;

/** Checkpoints in lines of any form, as a file or a syslog server keeps them: each is a JSON object at the end of its line. */
export async function readWitnessLines(
  text: string,
  isSigned: (text: string, signature: string) => boolean,
): Promise<WitnessLines> {
  const checkpoints = new Map<string, Checkpoint[]>();
  let ignored = 0;
  for (const [i, line] of text.split('\n').entries()) {
    // Other work runs in between: a signature takes a while.
    if (i % SLICE === SLICE - 1) await new Promise(setImmediate);
    // The last one in the line: before it may stand the half of one that a full disk has cut.
    const start = line.lastIndexOf('{"log":');
    if (start < 0) continue;
    const found = parseCheckpoint(line.slice(start, line.lastIndexOf('}') + 1));
    if (!found || !isSigned(checkpointText(found), found.signature)) ignored++;
    else if (checkpoints.get(found.log)?.push(found) === undefined) checkpoints.set(found.log, [found]);
  }
  for (const each of checkpoints.values()) each.sort((a, b) => a.n - b.n);
  return { checkpoints, ignored };
}

interface ComparedLog {
  log: number;
  log_id: string;
  public_key: string;
  base: string | null;
}

interface ComparedStore {
  logs(): Promise<ComparedLog[]>;
  hashAt(log: ComparedLog, n: number): Promise<unknown>;
  lastEntry(log: ComparedLog): Promise<number>;
}

type LogComparison = WitnessComparison['logs'][number];

/** Says which entries the witness confirms, which differ from what it has, and which are missing. */
export async function compareWithWitness(
  store: ComparedStore,
  { checkpoints, ignored }: WitnessLines,
): Promise<WitnessComparison> {
  const logs = await store.logs();
  const compared: LogComparison[] = [];
  for (const [id, lines] of checkpoints) {
    const log = logs.find(({ log_id: each }) => each === id);
    compared.push(log ? await compareLog(store, log, lines) : absent(id, lines));
  }
  return {
    checkpoints: [...checkpoints.values()].reduce((sum, lines) => sum + lines.length, 0),
    ignored,
    logs: compared,
    unwitnessed: logs.map(({ log_id: id }) => id).filter((id) => !checkpoints.has(id)),
  };
}

const absent = (log: string, lines: readonly Checkpoint[]): LogComparison => ({
  log,
  confirmed_to: 0,
  missing: { from: 1, to: lines.at(-1)!.n },
});

/** A hash covers everything before it: entries up to a checkpoint that agrees are the same, and after one that differs none is certain. */
async function compareLog(
  store: ComparedStore,
  log: ComparedLog,
  lines: readonly Checkpoint[],
): Promise<LogComparison> {
  const base = log.base === null ? { n: 0, head: '' } : (JSON.parse(log.base) as Tombstone);
  const end = await store.lastEntry(log);
  const newest = lines.at(-1)!.n;
  let confirmed = 0;
  let differs: LogComparison['differs'];
  for (const { n, head } of lines.filter((line) => line.n >= base.n && line.n <= end)) {
    const hash = n === base.n ? base.head : await store.hashAt(log, n);
    if (hash === head) confirmed = n;
    else differs ??= { from: Math.max(confirmed, base.n) + 1, to: n };
  }
  return {
    log: log.log_id,
    confirmed_to: confirmed,
    ...(differs && { differs }),
    ...(newest > end && { missing: { from: end + 1, to: newest } }),
  };
}

/** The verdict with what the comparison has found. A problem of the chain itself stays the first one. */
export function withComparison(
  result: ActivityVerification,
  witness: WitnessComparison,
): ActivityVerification {
  const bad = witness.logs.find(({ differs, missing }) => differs ?? missing);
  if (witness.checkpoints === 0)
    return {
      ...result,
      ...(result.verdict === 'intact' && { verdict: 'unknown' as const, intact: false }),
      why: result.why ?? 'the witness has no checkpoint that a key of this log has signed',
      witness,
    };
  if (!bad || result.verdict === 'broken') return { ...result, witness };
  const { log, differs } = bad;
  return {
    ...result,
    verdict: 'broken',
    intact: false,
    problem: {
      log,
      entry: (differs ?? bad.missing)!.from,
      record: null,
      reason: differs ? 'hash' : 'truncated',
      message: witness.logs.flatMap(saysOf).join('; '),
    },
    witness,
  };
}

const saysOf = ({ log, differs, missing }: LogComparison): string[] => [
  ...(differs ? [`entries ${differs.from} to ${differs.to} of log ${log} differ from the witness`] : []),
  ...(missing ? [`entries ${missing.from} to ${missing.to} of log ${log} are missing`] : []),
];
