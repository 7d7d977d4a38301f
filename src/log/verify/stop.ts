/** Checked between steps of work; an AbortSignal is one too. */
export type StopSignal = Pick<AbortSignal, 'throwIfAborted'>;

/**
 * Asks threads to stop after the current slice. A thread is never terminated from outside: if it is inside SQLite at that
 * moment, its native code accesses a destroyed environment, and the whole process aborts.
 */
export interface StopFlag extends StopSignal {
  /** Shared with the threads. */
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

/** Tasks that must end before the database is closed. */
export interface TaskGroup {
  run<T>(asked: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Aborts the running tasks and waits for them. */
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
