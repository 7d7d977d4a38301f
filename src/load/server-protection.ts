import { setTimeout as sleep } from 'node:timers/promises';
import { FairQueue } from './fair-queue.ts';
import { TurnoverSet } from './turnover.ts';

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
  readonly #active = new TurnoverSet<BulkheadCall>();
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

export type BreakerState = 'closed' | 'open' | 'half_open';

const FAILURES_UNTIL_OPEN = 5;
const MIN_OPEN_MS = 500;

/**
 * Circuit breaker of one server. After several failures in a row calls are rejected immediately, which spares the server and its callers
 * the wait. When the pause is over a single call, the probe, may try; its outcome decides for all.
 */
export class Breaker {
  #failures = 0;
  /** How often it has opened since it was last closed. */
  #openings = 0;
  #openUntil = 0;
  #probing = false;

  get state(): BreakerState {
    if (this.#openings === 0) return 'closed';
    return this.#probing || performance.now() >= this.#openUntil ? 'half_open' : 'open';
  }

  /** 0: the call may be sent; while the breaker is half open it is the probe. Otherwise the number of ms to wait. */
  enter(now = performance.now()): number {
    if (this.#openings === 0) return 0;
    if (this.#probing || now < this.#openUntil) return this.waitMs(now);
    this.#probing = true;
    return 0;
  }

  waitMs(now = performance.now()): number {
    return Math.max(MIN_OPEN_MS, this.#openUntil - now);
  }

  /** The probe was given up before it had an outcome; the next call may try. */
  abandonProbe(): void {
    this.#probing = false;
  }

  recordSuccess(): void {
    if (this.#failures === 0 && this.#openings === 0) return;
    this.reset();
  }

  recordFailure(isProbe: boolean, now = performance.now()): void {
    this.#failures++;
    if (this.#openings > 0 ? !isProbe : this.#failures < FAILURES_UNTIL_OPEN) return;
    this.#probing = false;
    this.#openings++;
    this.#openUntil = now + MIN_OPEN_MS + backoffMs(this.#openings);
  }

  reset(): void {
    this.#failures = 0;
    this.#openings = 0;
    this.#probing = false;
  }
}

const FIRST_BACKOFF_MS = 1000;
const MAX_BACKOFF_MS = 60_000;

/** Exponential backoff with a cap and full jitter, so that servers do not reconnect in step. */
export function backoffMs(failures: number, random: () => number = Math.random): number {
  return Math.round(random() * Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(failures - 1, 16)));
}

/** Resolves early when the signal is aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  // `sleep` rejects only when it is aborted.
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}

const RETRIES_PER_CALL = 0.2;
const MAX_SAVED_RETRIES = 10;
const MIN_RETRY_DELAY_MS = 100;
const RETRY_JITTER_MS = 400;

/**
 * Limits retries to one in five calls of a server. Without it every caller of a failing server would retry, which multiplies the load
 * that the server could not handle in the first place.
 */
export class RetryBudget {
  /** Retries since the start. */
  spent = 0;
  #left = 1;

  /** A call is made. */
  earn(): void {
    this.#left = Math.min(MAX_SAVED_RETRIES, this.#left + RETRIES_PER_CALL);
  }

  /** False: the budget is used up. */
  spend(): boolean {
    if (this.#left < 1) return false;
    this.#left -= 1;
    this.spent++;
    return true;
  }
}

/** Random, so that calls that failed together are not retried together. */
export function retryDelayMs(random: () => number = Math.random): number {
  return Math.round(MIN_RETRY_DELAY_MS + random() * RETRY_JITTER_MS);
}
