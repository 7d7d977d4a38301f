/** Checked between steps of work; an AbortSignal is one too. */
export interface StopSignal extends Pick<AbortSignal, 'throwIfAborted'> {
  /** Called between two reads, while nothing is read. Blocks the thread while the write-ahead log is to be emptied. */
  betweenReads?(): void;
}

/**
 * Asks threads to stop after the current slice. A thread is never terminated from outside: if it is inside SQLite at that
 * moment, its native code accesses a destroyed environment, and the whole process aborts.
 */
export interface StopFlag extends StopSignal {
  /** Shared with the threads. */
  readonly shared: Int32Array;
  request(): void;
  /** Asks the threads to read nothing for a moment, or to go on. */
  hold(isHeld: boolean): void;
  isHeld(): boolean;
}

const [GOING, STOPPED, HELD] = [0, 1, 2];
/** Only against a thread that never hears that it may go on. */
const MAX_HELD_MS = 2_000;

export function createStopFlag(shared: Int32Array = new Int32Array(new SharedArrayBuffer(4))): StopFlag {
  return {
    shared,
    request() {
      Atomics.store(shared, 0, STOPPED);
      Atomics.notify(shared, 0);
    },
    hold(isHeld) {
      Atomics.compareExchange(shared, 0, isHeld ? GOING : HELD, isHeld ? HELD : GOING);
      Atomics.notify(shared, 0);
    },
    isHeld: () => Atomics.load(shared, 0) === HELD,
    betweenReads: () => void Atomics.wait(shared, 0, HELD, MAX_HELD_MS),
    throwIfAborted() {
      if (Atomics.load(shared, 0) === STOPPED) throw new Error('the verification was stopped');
    },
  };
}

/** Tasks that must end before the database is closed. */
export interface TaskGroup {
  run<T>(asked: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Aborts the running tasks and waits for them. */
  stop(): Promise<void>;
  /** Resolves when no task runs. */
  idle(): Promise<void>;
}

export function createTaskGroup(): TaskGroup {
  const running = new Map<AbortController, Promise<unknown>>();
  const ended = () => Promise.allSettled(running.values());
  return {
    async idle() {
      while (running.size > 0) await ended();
    },
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
      for (const stop of running.keys()) stop.abort();
      await ended();
    },
  };
}
