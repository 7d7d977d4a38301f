import { appendFile, chmod, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { ProxyError } from '../../contract/errors.ts';
import type { Sqlite } from '../../db/index.ts';
import type { Log } from '../../lib/log.ts';
import { entryCounts } from './chain.ts';
import type { Checkpoint } from './hash-chain.ts';

export const CHECKPOINT_FILE = 'checkpoints.log';

/** About 5,000 checkpoints. */
const MAX_BYTES = 1_048_576;
const KEPT_LINES = 1000;

/**
 * One line per checkpoint, readable only by the owner. A copy elsewhere shows whether the log was restored to an older state. When it
 * gets too long, the newest of each log and the last thousand lines are kept: a later checkpoint covers all earlier ones.
 */
export function createCheckpointFile(
  dir: string,
  log: Log,
  maxBytes = MAX_BYTES,
): { add(checkpoint: Checkpoint): void; done(): Promise<void> } {
  const file = join(dir, CHECKPOINT_FILE);
  let last: Promise<void> = Promise.resolve();
  let size: number | undefined;
  let limit = maxBytes;

  async function write(checkpoint: Checkpoint): Promise<void> {
    const line = `${JSON.stringify(checkpoint)}\n`;
    await appendFile(file, line, { mode: 0o600 });
    await chmod(file, 0o600);
    size = size === undefined ? (await readFile(file)).length : size + line.length;
    if (size > limit) await shorten();
  }

  /** A file that was tampered with is left unchanged as evidence, so the limit grows before the next attempt. */
  async function shorten(): Promise<void> {
    limit *= 2;
    const text = await readFile(file, 'utf8');
    const kept = shortened(text);
    await replaceFile(file, kept);
    size = kept.length;
    limit = Math.max(maxBytes, 2 * size);
  }

  return {
    add(checkpoint) {
      last = last
        .then(() => write(checkpoint))
        .catch((error: unknown) =>
          log.warn({ file, err: error }, 'a checkpoint could not be written to the checkpoint file'),
        );
    },
    done: () => last,
  };
}

function shortened(text: string): string {
  const newest = [...readCheckpoints(text).values()].map((checkpoint) => JSON.stringify(checkpoint));
  const lines = text.split('\n').filter((line) => parse(line));
  const tail = lines.slice(-KEPT_LINES);
  return [...newest.filter((line) => !tail.includes(line)), ...tail].map((line) => `${line}\n`).join('');
}

/** Replaces the file atomically. */
async function replaceFile(file: string, text: string): Promise<void> {
  const handle = await open(`${file}.new`, 'w', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(`${file}.new`, file);
}

/** The newest checkpoint of each log. A last line that a crash has cut is ignored. */
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

/** Warns at the start if the database was deleted, emptied or restored. Compares only the ends; verify checks everything. */
export async function warnOfMissingEntries(sqlite: Sqlite, dataDir: string, log: Log): Promise<void> {
  const file = join(dataDir, CHECKPOINT_FILE);
  try {
    const counts = entryCounts(sqlite);
    for (const { log: logId, n } of readCheckpoints(await readFile(file, 'utf8')).values()) {
      const entries = counts.get(logId) ?? 0;
      if (entries < n)
        log.warn(
          { file, log_id: logId, entries, checkpoint: n },
          `the activity log has fewer entries than its last checkpoint names (${entries}, not ${n}): the database was deleted, replaced or put back; run mcpproxy activity verify`,
        );
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      log.warn({ file, err: error }, 'the checkpoints cannot be read; run mcpproxy activity verify');
  }
}
