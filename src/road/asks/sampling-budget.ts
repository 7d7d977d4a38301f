const MINUTE_MS = 60_000;
const MAX_KEYS = 10_000;

/** Counts requests to the model per client and server over the last minute. */
export class SamplingBudget {
  readonly #times = new Map<string, number[]>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** False: the budget of this minute is used up. */
  spend(key: string, perMinute: number): boolean {
    const since = this.#now() - MINUTE_MS;
    const recent = (this.#times.get(key) ?? []).filter((time) => time > since);
    if (recent.length >= perMinute) return false;
    if (this.#times.size >= MAX_KEYS && !this.#times.has(key)) this.#prune(since);
    if (this.#times.size >= MAX_KEYS && !this.#times.has(key)) return false;
    this.#times.set(key, [...recent, this.#now()]);
    return true;
  }

  #prune(since: number): void {
    for (const [key, times] of this.#times) if ((times.at(-1) ?? 0) <= since) this.#times.delete(key);
  }
}
