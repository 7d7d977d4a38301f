import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { ActivityRollback } from '../../contract/activity.ts';
import type { Log } from '../../lib/log.ts';
import type { EntryMark } from './hash-chain.ts';

export const HEAD_NOTE = 'acknowledged.log';

/** Commits that are remembered of each log. A database that has lost more than these is not known to be an earlier state of this log. */
const KEPT = 4096;
/** After so many added lines the file is written again. */
const MAX_ADDED_LINES = 16_384;

/**
 * Outside of the database: how far each log of this proxy is stored, as the database has acknowledged it, and what it has lost since.
 * One line for each commit, written before anybody is told of the commit, and not synced: it survives the end of this process and of the
 * database, and is lost only with the power of this host. What was lost is synced.
 */
export interface HeadNote {
  /** This entry is stored, and all before it. */
  stored(log: string, mark: EntryMark): void;
  /** The last entry that was stored. */
  newest(log: string): EntryMark | undefined;
  /** The hash of an entry that ended a commit; undefined where it is not remembered. */
  hashAt(log: string, n: number): string | undefined;
  logs(): string[];
  /** What the database has lost, until it is accepted. */
  readonly lost: ActivityRollback | undefined;
  setLost(lost: ActivityRollback | undefined): void;
  /** From now on this end of the log counts; undefined: the log is not there. */
  replace(log: string, mark: EntryMark | undefined): void;
  close(): void;
}

export function openHeadNote(dir: string, log: Log): HeadNote {
  const file = join(dir, HEAD_NOTE);
  const { marks, lost: found } = readHeadNote(dir);
  let lost = found;
  let handle: number | undefined;
  let lines = 0;
  let isFailing = false;

  function rewrite(): void {
    close();
    const made = openSync(`${file}.new`, 'w', 0o600);
    try {
      writeSync(made, textOf(marks, lost));
      fsyncSync(made);
    } finally {
      closeSync(made);
    }
    renameSync(`${file}.new`, file);
    lines = 0;
  }

  function close(): void {
    if (handle !== undefined) closeSync(handle);
    handle = undefined;
  }

  function append(line: string): void {
    handle ??= openSync(file, 'a', 0o600);
    writeSync(handle, line);
    if (++lines > MAX_ADDED_LINES) rewrite();
  }

  /** What is committed is committed. Without the line only a loss that meets a restart goes unnoticed. */
  function attempt(work: () => void): void {
    try {
      work();
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.warn({ err: error, file }, 'how far the log is stored cannot be noted');
      isFailing = true;
    }
  }

  return {
    stored(id, mark) {
      keep(marks, id, mark);
      attempt(() => append(lineOf(id, mark)));
    },
    newest: (id) => newestOf(marks.get(id)),
    hashAt: (id, n) => marks.get(id)?.get(n),
    logs: () => [...marks.keys()],
    get lost() {
      return lost;
    },
    setLost(next) {
      lost = next;
      attempt(rewrite);
    },
    replace(id, mark) {
      marks.delete(id);
      if (mark) keep(marks, id, mark);
    },
    close,
  };
}

type Marks = Map<string, Map<number, string>>;

function keep(marks: Marks, log: string, { n, hash }: EntryMark): void {
  let of = marks.get(log);
  if (!of) marks.set(log, (of = new Map()));
  // The newest comes last, also after the log was put back.
  of.delete(n);
  of.set(n, hash);
  if (of.size > KEPT) of.delete(of.keys().next().value!);
}

function newestOf(of: Map<number, string> | undefined): EntryMark | undefined {
  let newest: EntryMark | undefined;
  for (const [n, hash] of of ?? []) if (!newest || n > newest.n) newest = { n, hash };
  return newest;
}

const lineOf = (log: string, { n, hash }: EntryMark) => `${log} ${n} ${hash}\n`;
const LOST = 'lost ';
const LINE = /^([\w-]+) (\d{1,15}) ([\w-]{43})$/;

function textOf(marks: Marks, lost: ActivityRollback | undefined): string {
  const lines = [...marks].flatMap(([log, of]) => [...of].map(([n, hash]) => lineOf(log, { n, hash })));
  return `${lines.join('')}${lost ? `${LOST}${JSON.stringify(lost)}\n` : ''}`;
}

/** A line that a crash has cut is left out: its commit was told to nobody. */
export function readHeadNote(dir: string): { marks: Marks; lost: ActivityRollback | undefined } {
  const marks: Marks = new Map();
  let lost: ActivityRollback | undefined;
  for (const line of readIfPresent(join(dir, HEAD_NOTE)).split('\n')) {
    if (line.startsWith(LOST)) lost = JSON.parse(line.slice(LOST.length)) as ActivityRollback;
    const [, log, n, hash] = LINE.exec(line) ?? [];
    if (log && hash) keep(marks, log, { n: Number(n), hash });
  }
  return { marks, lost };
}

/** The last entry of each log that was stored, as the file says. */
export function readNewestHeads(dir: string): Map<string, EntryMark> {
  return new Map(
    [...readHeadNote(dir).marks].flatMap(([log, of]) => {
      const newest = newestOf(of);
      return newest ? [[log, newest] as const] : [];
    }),
  );
}

function readIfPresent(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
