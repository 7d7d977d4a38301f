/** Whoever looks at it ends its work when it throws; an AbortSignal is one too. */
export type StopSignal = Pick<AbortSignal, 'throwIfAborted'>;

/**
 * Asks threads to end after the slice that they are reading. A thread is never terminated from outside: where it is inside SQLite at that
 * moment, its native code meets an environment that is gone, and the whole process aborts.
 */
export interface StopFlag extends StopSignal {
  /** To be handed to a thread. */
  readonly shared: Int32Array;
  request(): void;
}

export function createStopFlag(shared: Int32Array = new Int32Array(new SharedArrayBuffer(4))): StopFlag {
  return {
    shared,
    request: () => void Atomics.store(shared, 0, 1),
    throwIfAborted() {
      if (Atomics.load(shared, 0) === 1) throw new Error('the verification was stopped');
    },
  };
}

/** Work that must have ended before its database is closed, or the process with it. */
export interface TaskGroup {
  run<T>(asked: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Aborts what runs, and waits for it. */
  stop(): Promise<void>;
}

export function createTaskGroup(): TaskGroup {
  const running = new Map<AbortController, Promise<unknown>>();
  return {
    async run(asked, work) {
      const stop = new AbortController();
      const result = work(asked ? AbortSignal.any([asked, stop.signal]) : stop.signal);
      running.set(stop, result);
      try {
        return await result;
      } finally {
        running.delete(stop);
      }
    },
    async stop() {
      const ending = [...running];
      for (const [stop] of ending) stop.abort();
      await Promise.allSettled(ending.map(([, result]) => result));
    },
  };
}
