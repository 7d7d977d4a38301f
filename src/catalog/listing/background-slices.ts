const SLICE_MS = 10;

export interface SlicedWork<T> {
  items: readonly T[];
  each: (item: T) => void;
  /** Called in any case: after the last item, after a stop, or with the error that `each` threw. */
  done: (error?: unknown) => void;
}

export interface BackgroundSlices {
  /** Works through the items in short slices between which other work gets its turn. */
  run<T>(server: string, work: SlicedWork<T>): void;
  /** Stops the work of a server, because it lists something else now. */
  stop(server: string): void;
  /** Resolves when no work is left. */
  idle(): Promise<void>;
}

/** For listings that are too long to be applied in one turn of the event loop. */
export function createBackgroundSlices(): BackgroundSlices {
  const current = new Map<string, Promise<void>>();

  async function runSlices<T>({ items, each }: SlicedWork<T>, isCurrent: () => boolean): Promise<void> {
    for (let i = 0; i < items.length;) {
      await new Promise(setImmediate);
      if (!isCurrent()) return;
      const end = performance.now() + SLICE_MS;
      do each(items[i++]!);
      while (i < items.length && performance.now() < end);
    }
  }

  return {
    run(server, work) {
      const isCurrent = () => current.get(server) === running;
      const finish = (error?: unknown) => {
        if (isCurrent()) current.delete(server);
        work.done(error);
      };
      // Nothing awaits this promise, so an uncaught error would end the process.
      const running: Promise<void> = runSlices(work, isCurrent).then(() => finish(), finish);
      current.set(server, running);
    },
    stop: (server) => void current.delete(server),
    idle: async () => void (await Promise.all(current.values())),
  };
}
