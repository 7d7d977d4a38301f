import { once } from 'node:events';
import { statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { ActivityVerification } from '../../contract/activity.ts';
import { createMutex, type SqliteDatabase } from '../../db/index.ts';
import { type StopFlag, createStopFlag } from './stop.ts';
import type { FileToVerify } from './verification.ts';
import type { WalkHelper } from './verify-segments.ts';
import type { Segment } from './verify-segment.ts';

export type ThreadWork = (
  | { role: 'all'; options: Omit<FileToVerify, 'signal'> }
  | { role: 'helper'; file: string }
) & { stop: Int32Array };

/** One message per segment; null when none is left. */
export type HelperMessage = { number: number; segment: Segment | null } | null;

/** One verification at a time; it uses two threads. */
const mutex = createMutex();

export interface WriteAheadLog {
  isLong(): boolean;
  /** Moves it into the database, unless somebody reads at this moment. */
  empty(): void;
}

/** SQLite begins again at four MB where nothing keeps it from that. */
const LONG_BYTES = 16_777_216;

export function writeAheadLogOf({ file, sqlite }: Pick<SqliteDatabase, 'file' | 'sqlite'>): WriteAheadLog {
  return {
    isLong: () => (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) >= LONG_BYTES,
    empty() {
      // Where a disk fails, the next write says so.
      if (!sqlite.isTransaction) attempt(() => sqlite.exec('PRAGMA wal_checkpoint(TRUNCATE)'));
    },
  };
}

function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // It is tried again.
  }
}

const LOOK_MS = 100;
const HELD_LOOK_MS = 10;
/** A reader of somebody else may be in the way, for as long as it likes. */
const MAX_LOOKS = 50;
const GIVE_UP_MS = 5_000;

/**
 * Two threads that read all the time leave no moment in which the write-ahead log can begin again, so it would grow for as long as the
 * verification takes. Where it is long they read nothing until it is empty.
 */
export function keepShort(wal: WriteAheadLog, flag: StopFlag): () => void {
  let timer: NodeJS.Timeout;
  let looks = 0;
  const lookIn = (ms: number) => void (timer = setTimeout(look, ms).unref());
  function look(): void {
    if (looks > 0) wal.empty();
    const isLong = wal.isLong();
    const isHeld = isLong && looks < MAX_LOOKS;
    looks = isHeld ? looks + 1 : 0;
    flag.hold(isHeld);
    lookIn(isHeld ? HELD_LOOK_MS : isLong ? GIVE_UP_MS : LOOK_MS);
  }
  lookIn(LOOK_MS);
  return () => clearTimeout(timer);
}

export async function verifyInThreads(
  { signal, ...options }: FileToVerify & { signal?: AbortSignal | undefined },
  wal?: WriteAheadLog,
): Promise<ActivityVerification> {
  await mutex.acquire();
  try {
    signal?.throwIfAborted();
    const flag = createStopFlag();
    const thread = startThread({ role: 'all', options, stop: flag.shared });
    const stop = () => flag.request();
    signal?.addEventListener('abort', stop, { once: true });
    const letGo = wal && keepShort(wal, flag);
    try {
      const result = await thread.until((message) => ({ done: message as ActivityVerification }));
      signal?.throwIfAborted();
      return result;
    } finally {
      signal?.removeEventListener('abort', stop);
      letGo?.();
      flag.request();
      await thread.ended;
    }
  } finally {
    mutex.release();
  }
}

/** Stops with the same flag as the thread that starts it. */
export function startHelper(file: string, flag: StopFlag): WalkHelper & { stop(): Promise<unknown> } {
  const thread = startThread({ role: 'helper', file, stop: flag.shared });
  return {
    help(walk, tell) {
      thread.send(walk);
      return thread.until((message) => {
        const told = message as HelperMessage;
        if (told === null) return { done: undefined };
        tell(told.number, told.segment);
        return undefined;
      });
    },
    stop() {
      flag.request();
      thread.send(null);
      return thread.ended;
    },
  };
}

interface Thread {
  send(message: unknown): void;
  /** Resolves with the first message for which `each` returns a result; rejects if the thread ends before. */
  until<T>(each: (message: unknown) => { done: T } | undefined): Promise<T>;
  /** Resolves when the thread has ended. */
  ended: Promise<unknown>;
}

/** Node does not load TypeScript by itself: tests and benchmarks use the thread of the built program. */
const THREAD = import.meta.url.endsWith('.ts')
  ? '../../../dist/log/verify/verify-thread.js'
  : './verify-thread.js';

function startThread(workerData: ThreadWork): Thread {
  const worker = new Worker(new URL(THREAD, import.meta.url), { workerData });
  const ended = once(worker, 'exit').catch(() => {}); // `until` reports the error
  const failed = new Promise<never>((_, reject) => {
    worker.on('error', reject);
    worker.on('exit', (code) => reject(new Error(`the verification thread ended with code ${code}`)));
  });
  failed.catch(() => {}); // `until` reports it
  return {
    ended,
    send: (message) => worker.postMessage(message, []),
    async until(each) {
      let heard: ((message: unknown) => void) | undefined;
      const done = new Promise<ReturnType<typeof each> & object>((resolve) => {
        heard = (message) => {
          const end = each(message);
          if (end) resolve(end);
        };
        worker.on('message', heard);
      });
      try {
        return (await Promise.race([done, failed])).done;
      } finally {
        worker.off('message', heard!);
      }
    },
  };
}
