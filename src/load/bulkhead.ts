import { FairQueue } from './fair-queue.ts';

/** A call that runs or waits in a bulkhead. */
export interface BulkheadCall {
  /** On the clock of `performance.now()`, which a change of the system time does not move. */
  readonly deadline: number;
  /** Each client has its own queue. */
  readonly client: string;
  start(): void;
  expire(): void;
  /** Removed from the queue to make room for a client with fewer calls. */
  displaced(): void;
}

export const QUEUE_LIMIT = 256;
/** A timer this late means that our own process was blocked; answers that arrived meanwhile are read before calls expire. */
const STALL_MS = 500;
const AFTER_STALL_MS = 1_000;

/**
 * Isolates one server's calls from all others: at most `limit` at the same time, a bounded queue behind them, and one timer for all
 * deadlines, set to the earliest, so that a call that ends in time costs no timer.
 */
export class Bulkhead {
  limit: number;
  readonly #active = new Set<BulkheadCall>();
  readonly #queue = new FairQueue<BulkheadCall>();
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Infinity;

  constructor(limit: number) {
    this.limit = limit;
  }

  get inFlight(): number {
    return this.#active.size;
  }

  get queued(): number {
    return this.#queue.size;
  }

  /** False: the queue is full. */
  enter(call: BulkheadCall): boolean {
    if (this.#active.size >= this.limit) {
      if (this.#queue.size >= QUEUE_LIMIT) {
        const displaced = this.#queue.displaceFor(call.client);
        if (!displaced) return false;
        displaced.displaced();
      }
      this.#queue.add(call);
      this.#watch(call.deadline);
      return true;
    }
    this.#active.add(call);
    this.#watch(call.deadline);
    call.start();
    return true;
  }

  leave(call: BulkheadCall): void {
    if (!this.#active.delete(call)) {
      this.#queue.delete(call);
      return;
    }
    while (this.#active.size < this.limit && this.#queue.size > 0) this.#admit(this.#queue.next()!);
  }

  /** A call that waited past its deadline is not sent; its timer may be late. */
  #admit(next: BulkheadCall): void {
    if (next.deadline <= performance.now()) return next.expire();
    this.#active.add(next);
    next.start();
  }

  #watch(deadline: number): void {
    if (deadline >= this.#timerAt) return;
    this.#arm(deadline, deadline - performance.now());
  }

  #arm(at: number, delay: number): void {
    clearTimeout(this.#timer);
    this.#timerAt = at;
    this.#timer = setTimeout(this.#sweep, Math.max(1, Math.min(delay, 2 ** 31 - 1)));
    this.#timer.unref();
  }

  readonly #sweep = (): void => {
    const now = performance.now();
    if (now - this.#timerAt > STALL_MS) return this.#arm(now + AFTER_STALL_MS, AFTER_STALL_MS);
    this.#timerAt = Infinity;
    for (const call of [...this.#active, ...this.#queue]) {
      // Half a millisecond of slack: timers may fire a little early.
      if (call.deadline <= now + 0.5) call.expire();
    }
    let next = Infinity;
    for (const { deadline } of this.#active) next = Math.min(next, deadline);
    for (const { deadline } of this.#queue) next = Math.min(next, deadline);
    if (next < Infinity) this.#watch(next);
  };
}
