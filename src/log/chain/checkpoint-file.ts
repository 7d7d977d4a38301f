import { readFileSync } from 'node:fs';
import { appendFile, chmod, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { ProxyError } from '../../contract/errors.ts';
import type { Log } from '../../lib/log.ts';
import type { Checkpoint } from './hash-chain.ts';

export const CHECKPOINT_FILE = 'checkpoints.log';
/** The newest checkpoint of each log once more, so that lines cut off the other file are noticed. */
export const HEAD_FILE = 'activity-head.log';

/** About 5,000 checkpoints. */
const MAX_BYTES = 1_048_576;
const KEPT_LINES = 1000;

export interface CheckpointFile {
  add(checkpoint: Checkpoint): void;
  /** No line is added until `renew`: a file that somebody deleted must not look as if it had always begun here. */
  hold(): void;
  /** Runs work that rewrites the files, while nothing else does. Lines are added again afterwards. */
  renew(work: () => Promise<void>): Promise<void>;
  done(): Promise<void>;
}

/**
 * One line per checkpoint, readable only by the owner. A copy elsewhere shows whether the log was restored to an older state. When it
 * gets too long, the newest of each log and the last thousand lines are kept: a later checkpoint covers all earlier ones.
 */
export function createCheckpointFile(dir: string, log: Log, maxBytes = MAX_BYTES): CheckpointFile {
  const file = join(dir, CHECKPOINT_FILE);
  let last: Promise<void> = Promise.resolve();
  let size: number | undefined;
  let limit = maxBytes;
  let queued = 0;
  let isHeld = false;
  const head = createHeadFile(dir);

  async function write(checkpoint: Checkpoint): Promise<void> {
    if (!isHeld) await addLine(checkpoint);
    head.note(checkpoint);
    // After the line, as the head file must never be ahead of it; and once for all lines that wait.
    if (queued === 0) await head.write();
  }

  async function addLine(checkpoint: Checkpoint): Promise<void> {
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
      queued++;
      last = last
        .then(() => {
          queued--;
          return write(checkpoint);
        })
        .catch((error: unknown) =>
          log.warn({ file, err: error }, 'a checkpoint could not be written to the checkpoint file'),
        );
    },
    hold() {
      isHeld = true;
    },
    renew(work) {
      const done = last.then(work).then(() => {
        isHeld = false;
        size = undefined;
      });
      // `done` reports the error; the next write must not fail for it.
      last = done.catch(() => {});
      return done;
    },
    done: () => last,
  };
}

function shortened(text: string): string {
  const newest = [...readCheckpoints(text).values()].map((checkpoint) => JSON.stringify(checkpoint));
  const lines = text.split('\n').filter((line) => parseCheckpoint(line));
  const tail = lines.slice(-KEPT_LINES);
  return [...newest.filter((line) => !tail.includes(line)), ...tail].map((line) => `${line}\n`).join('');
}

/** A file that was tampered with is left unchanged as evidence. */
function createHeadFile(dir: string): { note(checkpoint: Checkpoint): void; write(): Promise<void> } {
  const file = join(dir, HEAD_FILE);
  const noted = new Map<string, Checkpoint>();
  return {
    note: (checkpoint) => void noted.set(checkpoint.log, checkpoint),
    async write() {
      const newest = newestOf(readCheckpoints(readIfPresent(file)), noted);
      await replaceFile(file, linesOf(newest.values()));
      noted.clear();
    },
  };
}

export const linesOf = (checkpoints: Iterable<Checkpoint>): string =>
  [...checkpoints].map((each) => `${JSON.stringify(each)}\n`).join('');

/** What the files of the data directory say about the end of each log. The head file is read first: it is never ahead of the other. */
export function readLocalCheckpoints(dir: string): {
  head: Map<string, Checkpoint>;
  lines: Map<string, Checkpoint>;
} {
  const head = readCheckpoints(readIfPresent(join(dir, HEAD_FILE)));
  return { head, lines: readCheckpoints(readIfPresent(join(dir, CHECKPOINT_FILE))) };
}

/** The newest of each log in any of them; of two with the same number the one in the last. */
export function newestOf(...found: ReadonlyArray<Map<string, Checkpoint>>): Map<string, Checkpoint> {
  const newest = new Map<string, Checkpoint>();
  for (const each of found)
    for (const checkpoint of each.values())
      if ((newest.get(checkpoint.log)?.n ?? 0) <= checkpoint.n) newest.set(checkpoint.log, checkpoint);
  return newest;
}

function readIfPresent(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/** Replaces the file atomically. */
export async function replaceFile(file: string, text: string): Promise<void> {
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
    const checkpoint = parseCheckpoint(line);
    if (!checkpoint && index === lines.length - 1 && index > 0) continue;
    if (!checkpoint) throw new ProxyError('INVALID_REQUEST', `line ${index + 1} is no checkpoint`);
    const known = newest.get(checkpoint.log);
    if (!known || checkpoint.n >= known.n) newest.set(checkpoint.log, checkpoint);
  }
  return newest;
}

export function parseCheckpoint(line: string): Checkpoint | null {
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
