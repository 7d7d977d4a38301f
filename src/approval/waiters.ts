import type { Cancellation } from '../contract/call.ts';

/** One request that is kept open for an approval. */
export interface Waiter {
  /** Resolves when the approval may have changed since the last time, when time is up, or when the caller has gone. */
  stirred(ms: number): Promise<void>;
  leave(): void;
}

export interface Waiters {
  enter(id: string, signal: Cancellation): Waiter;
  /** Looked at again by everybody who waits for it. */
  wake(id: string): void;
  wakeAll(): void;
  /** How many requests wait for this one. */
  count(id: string): number;
  ids(): string[];
}

/** setTimeout takes no more; whoever waits longer looks again in between. */
const LONGEST_MS = 2_000_000_000;

export function createWaiters(): Waiters {
  const waiting = new Map<string, Set<OpenWaiter>>();

  function leave(id: string, waiter: OpenWaiter): void {
    const others = waiting.get(id);
    others?.delete(waiter);
    if (others?.size === 0) waiting.delete(id);
  }

  function wake(id: string): void {
    for (const waiter of waiting.get(id) ?? []) waiter.handleEvent();
  }

  return {
    enter(id, signal) {
      const waiter: OpenWaiter = new OpenWaiter(signal, () => leave(id, waiter));
      waiting.set(id, (waiting.get(id) ?? new Set()).add(waiter));
      return waiter;
    },
    wake,
    wakeAll() {
      for (const id of waiting.keys()) wake(id);
    },
    count: (id) => waiting.get(id)?.size ?? 0,
    ids: () => [...waiting.keys()],
  };
}

/** Remembers that it was woken while nobody waited on it, so that a change between a look and the next wait is not slept through. */
class OpenWaiter implements Waiter {
  readonly #signal: Cancellation;
  readonly #left: () => void;
  #isStirred = false;
  #resolve: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(signal: Cancellation, left: () => void) {
    this.#signal = signal;
    this.#left = left;
    signal.addEventListener('abort', this);
  }

  stirred(ms: number): Promise<void> {
    if (this.#isStirred || this.#signal.aborted || ms <= 0) {
      this.#isStirred = false;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      this.#resolve = resolve;
      this.#timer = setTimeout(() => this.handleEvent(), Math.min(ms, LONGEST_MS));
    });
  }

  /** From the caller's signal, from the clock, or from whoever changed the approval. */
  handleEvent(): void {
    clearTimeout(this.#timer);
    const resolve = this.#resolve;
    this.#resolve = undefined;
    if (resolve) resolve();
    else this.#isStirred = true;
  }

  leave(): void {
    clearTimeout(this.#timer);
    this.#signal.removeEventListener('abort', this);
    this.#left();
  }
}
