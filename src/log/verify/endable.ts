/** Work that must have ended before its database is closed, or the process with it. */
export interface Endable {
  run<T>(asked: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Aborts what runs, and waits for it. */
  end(): Promise<void>;
}

export function createEndable(): Endable {
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
    async end() {
      const ending = [...running];
      for (const [stop] of ending) stop.abort();
      await Promise.allSettled(ending.map(([, result]) => result));
    },
  };
}
