/** Whoever looks at it ends its work when it throws; an AbortSignal is one too. */
export type StopSignal = Pick<AbortSignal, 'throwIfAborted'>;

/**
 * Asks threads to end after the slice that they are reading. A thread is never terminated from outside: where it is inside SQLite at that
 * moment, its native code meets an environment that is gone, and the whole process aborts.
 */
export interface StopFlag extends StopSignal {
  /** To be handed to a thread. */
  readonly shared: Int32Array;
  ask(): void;
}

export function createStopFlag(shared: Int32Array = new Int32Array(new SharedArrayBuffer(4))): StopFlag {
  return {
    shared,
    ask: () => void Atomics.store(shared, 0, 1),
    throwIfAborted() {
      if (Atomics.load(shared, 0) === 1) throw new Error('the verification was stopped');
    },
  };
}
