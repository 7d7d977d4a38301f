import { FairQueue } from './fair-queue.ts';

/** A call on its way through a bulkhead. */
export interface Passenger {
  /** On the clock of `performance.now()`, which a change of the system time does not move. */
  readonly deadline: number;
  /** Whose call it is: clients wait in lines of their own. */
  readonly client: string;
  start(): void;
  expire(): void;
  /** It waited, and makes room for a client with fewer calls. */
  displaced(): void;
}

export const QUEUE_LIMIT = 256;
/** A timer this late means that our own process stood still; what has arrived meanwhile is read before anything is given up. */
const STALL_MS = 500;
const AFTER_STALL_MS = 1_000;

/**
 * Keeps one server's calls apart from all others': at most `limit` at once, a bounded queue behind them, and one timer for all
 * deadlines, set to the earliest, so that a call that ends in time costs no timer at all.
 */
export class Bulkhead {
  limit: number;
  readonly #active = new Set<Passenger>();
  readonly #queue = new FairQueue<Passenger>();
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
  enter(passenger: Passenger): boolean {
    if (this.#active.size >= this.limit) {
      if (this.#queue.size >= QUEUE_LIMIT) {
        const displaced = this.#queue.displacedBy(passenger.client);
        if (!displaced) return false;
        displaced.displaced();
      }
      this.#queue.add(passenger);
      this.#watch(passenger.deadline);
      return true;
    }
    this.#active.add(passenger);
    this.#watch(passenger.deadline);
    passenger.start();
    return true;
  }

  leave(passenger: Passenger): void {
    if (!this.#active.delete(passenger)) {
      this.#queue.delete(passenger);
      return;
    }
    while (this.#active.size < this.limit && this.#queue.size > 0) this.#admit(this.#queue.next()!);
  }

  /** Whoever waited past its deadline is not sent any more; the timer that would say so may be late itself. */
  #admit(next: Passenger): void {
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
    for (const passenger of [...this.#active, ...this.#queue]) {
      // Half a millisecond of slack: timers may fire a little early.
      if (passenger.deadline <= now + 0.5) passenger.expire();
    }
    let next = Infinity;
    for (const { deadline } of this.#active) next = Math.min(next, deadline);
    for (const { deadline } of this.#queue) next = Math.min(next, deadline);
    if (next < Infinity) this.#watch(next);
  };
}
