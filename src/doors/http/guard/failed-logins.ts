import type { Clock } from '../../../lib/clock.ts';

const WINDOW_MS = 60_000;
const LIMIT = 10;
const MAX_SOURCES = 10_000;

/** Counts wrong keys per source address. Only failing requests are rate limited: a valid key always passes. */
export interface FailedLogins {
  /** Counts one failure; returns the seconds to wait once there were too many, otherwise 0. */
  add(source: string): number;
}

export function createFailedLogins(clock: Clock): FailedLogins {
  const sources = new Map<string, { count: number; since: number }>();
  return {
    add(source) {
      const now = clock.now();
      const known = sources.get(source);
      const current = known && now - known.since < WINDOW_MS ? known : { count: 0, since: now };
      current.count += 1;
      // Re-inserted, so that the map is ordered by age and the oldest source is dropped first.
      sources.delete(source);
      sources.set(source, current);
      if (sources.size > MAX_SOURCES) sources.delete(sources.keys().next().value!);
      return current.count > LIMIT ? Math.max(1, Math.ceil((current.since + WINDOW_MS - now) / 1000)) : 0;
    },
  };
}
