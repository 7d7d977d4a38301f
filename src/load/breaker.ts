import { backoffMs } from './backoff.ts';

export type BreakerState = 'closed' | 'open' | 'half_open';

const FAILURES_UNTIL_OPEN = 5;
const LEAST_OPEN_MS = 500;

/**
 * Spares a server that does not answer, and those who call it the wait. After several failures in a row calls are refused at once; when
 * the pause is over a single one may try, and its end decides for all.
 */
export class Breaker {
  #failures = 0;
  #times = 0;
  #openUntil = 0;
  #probing = false;

  get state(): BreakerState {
    if (this.#times === 0) return 'closed';
    return this.#probing || performance.now() >= this.#openUntil ? 'half_open' : 'open';
  }

  /** 0: go ahead. Else so many ms to wait; who goes ahead while it is half open is the probe. */
  enter(now = performance.now()): number {
    if (this.#times === 0) return 0;
    if (this.#probing || now < this.#openUntil) return this.waitMs(now);
    this.#probing = true;
    return 0;
  }

  /** When it is worth to try again. */
  waitMs(now = performance.now()): number {
    return Math.max(LEAST_OPEN_MS, this.#openUntil - now);
  }

  /** The call that went ahead was given up before it told anything. */
  abandoned(): void {
    this.#probing = false;
  }

  worked(): void {
    if (this.#failures === 0 && this.#times === 0) return;
    this.reset();
  }

  failed(probe: boolean, now = performance.now()): void {
    this.#failures++;
    if (this.#times > 0 ? !probe : this.#failures < FAILURES_UNTIL_OPEN) return;
    this.#probing = false;
    this.#times++;
    this.#openUntil = now + LEAST_OPEN_MS + backoffMs(this.#times);
  }

  reset(): void {
    this.#failures = 0;
    this.#times = 0;
    this.#probing = false;
  }
}
