/**
 * One connection, many users: whoever needs it for longer than one synchronous stretch takes a turn. First come, first served.
 * A synchronous user looks at `free` and need not wait at all.
 */
export interface Turn {
  readonly free: boolean;
  take(): Promise<void>;
  give(): void;
}

export function createTurn(): Turn {
  let held = false;
  const waiting: Array<() => void> = [];
  return {
    get free() {
      return !held;
    },
    take() {
      if (!held) {
        held = true;
        return Promise.resolve();
      }
      return new Promise((resolve) => waiting.push(resolve));
    },
    give() {
      const next = waiting.shift();
      if (next) next();
      else held = false;
    },
  };
}
