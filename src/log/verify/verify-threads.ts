import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ActivityVerification } from '../../contract/activity.ts';
import { createMutex } from '../../db/index.ts';
import { type StopFlag, createStopFlag } from './stop.ts';
import type { FileToVerify } from './verification.ts';
import type { WalkHelper } from './verify-segments.ts';
import type { Segment } from './verify-segment.ts';

export type ThreadWork = (
  | { role: 'all'; options: Omit<FileToVerify, 'signal'> }
  | { role: 'helper'; file: string }
) & { stop: Int32Array };

/** One segment after the other; null when none is left. */
export type HelperMessage = { number: number; segment: Segment | null } | null;

/** One verification at a time: two threads are enough for one machine. */
const mutex = createMutex();

export async function verifyInThreads({
  signal,
  ...options
}: FileToVerify & { signal?: AbortSignal | undefined }): Promise<ActivityVerification> {
  await mutex.acquire();
  try {
    signal?.throwIfAborted();
    const flag = createStopFlag();
    const thread = startThread({ role: 'all', options, stop: flag.shared });
    const stop = () => flag.request();
    signal?.addEventListener('abort', stop, { once: true });
    try {
      const result = await thread.until((message) => ({ done: message as ActivityVerification }));
      signal?.throwIfAborted();
      return result;
    } finally {
      signal?.removeEventListener('abort', stop);
      flag.request();
      await thread.ended;
    }
  } finally {
    mutex.release();
  }
}

/** Lives no longer than the thread that starts it, and ends with the same flag. */
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
  /** Resolves with the first message that ends the waiting; rejects where the thread ends before. */
  until<T>(each: (message: unknown) => { done: T } | undefined): Promise<T>;
  /** Resolves when it is gone. */
  ended: Promise<unknown>;
}

/** In tests and benches: Node reads no TypeScript by itself. */
const FROM_SOURCE = `import('tsx/esm/api').then(({ register }) => {
  register();
  return import(${JSON.stringify(new URL('./verify-thread.ts', import.meta.url).href)});
})`;

function startThread(workerData: ThreadWork): Thread {
  const worker = import.meta.url.endsWith('.ts')
    ? new Worker(FROM_SOURCE, { eval: true, workerData })
    : new Worker(new URL('./verify-thread.js', import.meta.url), { workerData });
  const ended = once(worker, 'exit').catch(() => {}); // whoever waits for a message hears of an error
  const failed = new Promise<never>((_, reject) => {
    worker.on('error', reject);
    worker.on('exit', (code) => reject(new Error(`the thread that verifies has ended with code ${code}`)));
  });
  failed.catch(() => {}); // whoever waits for a message hears of it
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
