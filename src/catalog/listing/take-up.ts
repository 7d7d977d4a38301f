const SLICE_MS = 10;

export interface TakeUp {
  /** Goes through the rest of a listing while others get their turn. `done` comes in any case, also where it was stopped or an item broke it off. */
  later<T>(
    server: string,
    rest: readonly T[],
    each: (item: T) => void,
    done: (error?: unknown) => void,
  ): void;
  /** The server lists something else by now. */
  stop(server: string): void;
  /** Resolves when nothing is left to be taken up. */
  idle(): Promise<void>;
}

/** A listing that is made to be long must not keep everybody else waiting. */
export function createTakeUp(): TakeUp {
  const current = new Map<string, Promise<void>>();

  async function work<T>(
    rest: readonly T[],
    isCurrent: () => boolean,
    each: (item: T) => void,
  ): Promise<void> {
    for (let i = 0; i < rest.length;) {
      await new Promise(setImmediate);
      if (!isCurrent()) return;
      const end = performance.now() + SLICE_MS;
      do each(rest[i++]!);
      while (i < rest.length && performance.now() < end);
    }
  }

  return {
    later(server, rest, each, done) {
      const isCurrent = () => current.get(server) === running;
      const over = (error?: unknown) => {
        if (isCurrent()) current.delete(server);
        done(error);
      };
      // Nobody waits for it, so that what it throws would end the process.
      const running: Promise<void> = work(rest, isCurrent, each).then(() => over(), over);
      current.set(server, running);
    },
    stop: (server) => void current.delete(server),
    idle: async () => void (await Promise.all(current.values())),
  };
}
