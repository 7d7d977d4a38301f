import { copyFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AcceptedRestore, ActivityRollback } from '../../contract/activity.ts';
import { ProxyError } from '../../contract/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import {
  CHECKPOINT_FILE,
  HEAD_FILE,
  type CheckpointFile,
  linesOf,
  readLocalCheckpoints,
  replaceFile,
} from '../chain/checkpoint-file.ts';
import { type EntryMark, checkpointText } from '../chain/hash-chain.ts';
import type { HeadNote } from '../chain/head-note.ts';
import { createSignatureCheck, trustedKeys } from '../chain/signer.ts';
import { compareNoted, lostEntries, type NotedEnds } from './noted-ends.ts';
import { type StoredEnds, findRollback } from './rollback.ts';

export interface RestoreParts {
  dataDir: string;
  checkpoints: CheckpointFile;
  note: HeadNote;
  /** The ends of the logs, as they are stored now. */
  read: () => Promise<StoredEnds>;
  clock: Clock;
  log: Log;
}

/** Whether the database is behind what it has acknowledged and what was signed, and the operator's acceptance of that. */
export interface Restore {
  /** Logs that must not be continued. */
  readonly ended: ReadonlySet<string>;
  /** Logs that are continued after what the database has lost: where they end in it. */
  readonly behind: ReadonlyMap<string, EntryMark>;
  state(): { rollback?: ActivityRollback };
  /** While the proxy runs: the database ends with `found`, although `last` was stored. */
  lost(log: string, found: EntryMark, last: EntryMark): void;
  /** While the proxy runs: what is there is not an earlier state of this log. */
  replaced(log: string, reason: string): void;
  /** Records of a log that were appended again. */
  restored(log: string, records: number): void;
  /** From now on the stored end counts. The files with the older checkpoints are kept. */
  accept(): Promise<AcceptedRestore>;
}

/** Compares only the ends; verify checks everything. */
export async function openRestore(parts: RestoreParts): Promise<Restore> {
  const { dataDir, checkpoints, note, read, clock, log } = parts;
  const noted = await compareNoted(await read(), note);
  const found = await compare(parts, noted);
  const addLost = (now: ActivityRollback) => {
    // It was noticed before, and could not be stated in the log yet.
    const isNew = ({ logs }: ActivityRollback) => now.logs.every((each) => !logs.some(isSame(each)));
    if (!note.lost || isNew(note.lost)) note.setLost(joined(note.lost, now));
  };
  if (noted.lost) addLost(noted.lost);
  // Found again at every start, until it is accepted.
  let unstated = joined(noted.replaced, found);
  const ended = new Set(unstated?.logs.map((each) => each.log));
  // Lines of the missing file would end this state at the next start, without anybody having accepted it.
  if (found?.logs.length === 0) checkpoints.hold();
  const rollback = () => joined(note.lost, unstated);
  const warn = (what: ActivityRollback | undefined) =>
    what &&
    log.warn({ missing: what.missing, logs: what.logs }, `${what.reason}; run mcpproxy activity verify`);
  warn(rollback());
  return {
    ended,
    behind: noted.behind,
    state() {
      const now = rollback();
      return now ? { rollback: now } : {};
    },
    lost(id, end, last) {
      const now = lostEntries(id, end, last);
      addLost(now);
      warn(now);
    },
    replaced(id, reason) {
      if (unstated?.logs.some((each) => each.log === id)) return;
      const expected = note.newest(id)?.n ?? 0;
      const now = { reason, missing: 0, logs: [{ log: id, entries: 0, expected, missing: 0 }] };
      unstated = joined(unstated, now);
      warn(now);
    },
    restored(id, records) {
      const { lost } = note;
      const last = lost?.logs.findLast((each) => each.log === id);
      if (!lost || !last) return;
      const now = { ...last, restored: (last.restored ?? 0) + records };
      note.setLost({ ...lost, logs: lost.logs.map((each) => (each === last ? now : each)) });
    },
    async accept() {
      const accepted = rollback();
      if (!accepted)
        throw new ProxyError(
          'CONFLICT',
          'There is nothing to accept: the activity log is not behind its checkpoints',
        );
      const name = `checkpoints-${new Date(clock.now()).toISOString().replaceAll(/[:.]/g, '')}.log`;
      await checkpoints.renew(async () => replaceFiles(dataDir, name, await read()));
      for (const { log: id } of unstated?.logs ?? []) note.replace(id, undefined);
      note.setLost(undefined);
      unstated = undefined;
      return { ...accepted, kept_as: name };
    },
  };
}

type LogRollback = ActivityRollback['logs'][number];

const isSame = (a: LogRollback) => (b: LogRollback) =>
  a.log === b.log && a.entries === b.entries && a.expected === b.expected;

function joined(
  a: ActivityRollback | undefined,
  b: ActivityRollback | undefined,
): ActivityRollback | undefined {
  if (!a || !b) return a ?? b;
  return {
    reason: a.reason === b.reason ? a.reason : `${a.reason}; ${b.reason}`,
    missing: a.missing + b.missing,
    logs: [...a.logs, ...b.logs],
  };
}

async function compare(
  { dataDir, read }: RestoreParts,
  { behind, replaced }: NotedEnds,
): Promise<ActivityRollback | undefined> {
  const isTold = (log: string) => behind.has(log) || replaced?.logs.some((each) => each.log === log) === true;
  try {
    return await findRollback(await read(), { ...readLocalCheckpoints(dataDir), isTold }, trust(dataDir));
  } catch (error) {
    if (!(error instanceof ProxyError)) throw error;
    return {
      reason: `the checkpoints of the data directory cannot be read: ${error.message}`,
      missing: 0,
      logs: [],
    };
  }
}

function trust(dataDir: string) {
  const keys = trustedKeys(dataDir);
  const checks = keys.map((key) => createSignatureCheck(key));
  return {
    keys,
    isSigned: (text: string, signature: string) => checks.some((check) => check(text, signature)),
  };
}

/** The old file is copied before it is replaced: there is no moment without one. */
async function replaceFiles(dataDir: string, keptAs: string, { ends }: StoredEnds): Promise<void> {
  const [file, head] = [join(dataDir, CHECKPOINT_FILE), join(dataDir, HEAD_FILE)];
  const old = [file, head].filter((each) => existsSync(each));
  for (const each of old)
    await copyFile(each, join(dataDir, each === file ? keptAs : `activity-head-${keptAs.slice(12)}`));
  const { isSigned } = trust(dataDir);
  const newest = ends.flatMap(({ checkpoints }) =>
    checkpoints.filter((each) => isSigned(checkpointText(each), each.signature)).slice(0, 1),
  );
  await replaceFile(file, linesOf(newest));
  await replaceFile(head, linesOf(newest));
}
