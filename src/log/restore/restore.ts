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
import { checkpointText } from '../chain/hash-chain.ts';
import { createSignatureCheck, trustedKeys } from '../chain/signer.ts';
import { type StoredEnds, findRollback } from './rollback.ts';

export interface RestoreParts {
  dataDir: string;
  checkpoints: CheckpointFile;
  /** The ends of the logs, as they are stored now. */
  read: () => Promise<StoredEnds>;
  clock: Clock;
  log: Log;
}

/** Whether the log is behind the checkpoints of its data directory, and the operator's acceptance of that. */
export interface Restore {
  /** Logs that must not be continued. */
  readonly ended: ReadonlySet<string>;
  state(): { rollback?: ActivityRollback };
  /** From now on the stored end counts. The files with the older checkpoints are kept. */
  accept(): Promise<AcceptedRestore>;
}

/** Compares only the ends, at the start; verify checks everything. */
export async function openRestore(parts: RestoreParts): Promise<Restore> {
  const { dataDir, checkpoints, read, clock, log } = parts;
  let rollback = await compare(parts);
  const ended = new Set(rollback?.logs.map((each) => each.log));
  // Lines of the missing file would end this state at the next start, without anybody having accepted it.
  if (rollback?.logs.length === 0) checkpoints.hold();
  if (rollback)
    log.warn(
      { missing: rollback.missing, logs: rollback.logs },
      `${rollback.reason}; run mcpproxy activity verify`,
    );
  return {
    ended,
    state: () => (rollback ? { rollback } : {}),
    async accept() {
      if (!rollback)
        throw new ProxyError(
          'CONFLICT',
          'There is nothing to accept: the activity log is not behind its checkpoints',
        );
      const accepted = rollback;
      const name = `checkpoints-${new Date(clock.now()).toISOString().replaceAll(/[:.]/g, '')}.log`;
      await checkpoints.renew(async () => replaceFiles(dataDir, name, await read()));
      rollback = undefined;
      return { ...accepted, kept_as: name };
    },
  };
}

async function compare({ dataDir, read }: RestoreParts): Promise<ActivityRollback | undefined> {
  try {
    return await findRollback(await read(), readLocalCheckpoints(dataDir), trust(dataDir));
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
