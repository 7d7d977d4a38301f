import { setTimeout as sleep } from 'node:timers/promises';

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
