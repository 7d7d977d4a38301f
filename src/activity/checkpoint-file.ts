import { appendFile, chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { ProxyError } from '../contract/errors.ts';
import type { Log } from '../lib/log.ts';
import type { Checkpoint } from './seal.ts';

export const CHECKPOINT_FILE = 'checkpoints.log';

/** One line per checkpoint, for the owner alone. Copied elsewhere, it shows whether the log was put back to an older state. */
export function createCheckpointFile(
  dir: string,
  log: Log,
): { add(checkpoint: Checkpoint): void; done(): Promise<void> } {
  const file = join(dir, CHECKPOINT_FILE);
  let last: Promise<void> = Promise.resolve();
  const write = async (checkpoint: Checkpoint) => {
    await appendFile(file, `${JSON.stringify(checkpoint)}\n`, { mode: 0o600 });
    await chmod(file, 0o600);
  };
  return {
    add(checkpoint) {
      last = last
        .then(() => write(checkpoint))
        .catch((error: unknown) =>
          log.warn({ file, err: error }, 'a checkpoint could not be written to its file'),
        );
    },
    done: () => last,
  };
}

/** The newest checkpoint of each log. A last line that was cut by a crash is left out. */
export function readCheckpoints(text: string): Map<string, Checkpoint> {
  const newest = new Map<string, Checkpoint>();
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  for (const [index, line] of lines.entries()) {
    const checkpoint = parse(line);
    if (!checkpoint && index === lines.length - 1 && index > 0) continue;
    if (!checkpoint) throw new ProxyError('INVALID_REQUEST', `line ${index + 1} is no checkpoint`);
    const known = newest.get(checkpoint.log);
    if (!known || checkpoint.n >= known.n) newest.set(checkpoint.log, checkpoint);
  }
  return newest;
}

function parse(line: string): Checkpoint | null {
  try {
    const value = JSON.parse(line) as Partial<Checkpoint>;
    const texts = [value.log, value.head, value.signature].every((text) => typeof text === 'string');
    return texts && Number.isSafeInteger(value.n) && Number.isSafeInteger(value.time)
      ? (value as Checkpoint)
      : null;
  } catch {
    return null;
  }
}
