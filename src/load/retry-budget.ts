const SHARE = 0.2;
const MOST = 10;
const LEAST_DELAY_MS = 100;
const SPREAD_MS = 400;

/**
 * How many calls to a server may be tried a second time: one in five. When a server is in trouble every caller would try again, and what
 * it gets would be a multiple of what it could not bear in the first place.
 */
export class RetryBudget {
  /** Since the start. */
  spent = 0;
  #left = 1;

  /** A call is made. */
  earn(): void {
    this.#left = Math.min(MOST, this.#left + SHARE);
  }

  /** False: too many have been tried again lately. */
  spend(): boolean {
    if (this.#left < 1) return false;
    this.#left -= 1;
    this.spent++;
    return true;
  }
}

/** When to try again: random, so that calls that failed together do not return together. */
export function retryDelayMs(random: () => number = Math.random): number {
  return Math.round(LEAST_DELAY_MS + random() * SPREAD_MS);
}
