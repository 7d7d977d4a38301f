import { z } from 'zod';

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** "250ms", "30s", "5m", "1h", "7d". */
export const Duration = z
  .string()
  .regex(/^\d+(ms|s|m|h|d)$/, 'must be a number with a unit: ms, s, m, h or d, as in "30s"');

export function durationMs(text: string): number {
  const [, amount, unit] = /^(\d+)(ms|s|m|h|d)$/.exec(text) ?? [];
  if (amount === undefined) throw new RangeError(`not a duration: ${text}`);
  return Number(amount) * UNITS[unit as keyof typeof UNITS];
}

/** A duration that must lie within limits, both given as durations. */
export function durationWithin(least: string, most: string) {
  return Duration.refine(
    // Also asked of what is no duration at all; that has been said by then.
    (text) =>
      !Duration.safeParse(text).success ||
      (durationMs(text) >= durationMs(least) && durationMs(text) <= durationMs(most)),
    `must be from ${least} to ${most}`,
  );
}
