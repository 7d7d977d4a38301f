import { z } from 'zod';

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** A hundred years. Larger values overflow dates and safe integers. */
const LONGEST_MS = 36_500 * UNITS.d;

/** "250ms", "30s", "5m", "1h", "7d", "2w". */
export const Duration = z
  .string()
  .regex(/^\d+(ms|s|m|h|d|w)$/, 'must be a number with a unit: ms, s, m, h, d or w, as in "30s"')
  .refine((text) => !(msOf(text)! > LONGEST_MS), 'must not be longer than 36500d');

export function durationMs(text: string): number {
  const ms = msOf(text);
  if (ms === undefined) throw new RangeError(`not a duration: ${text}`);
  return ms;
}

function msOf(text: string): number | undefined {
  const [, amount, unit] = /^(\d+)(ms|s|m|h|d|w)$/.exec(text) ?? [];
  return amount === undefined ? undefined : Number(amount) * UNITS[unit as keyof typeof UNITS];
}

/** A duration that must lie within limits, both given as durations. */
export function durationWithin(least: string, most: string) {
  return Duration.refine(
    // Zod runs this on invalid durations too; those have their own message already.
    (text) =>
      !Duration.safeParse(text).success ||
      (durationMs(text) >= durationMs(least) && durationMs(text) <= durationMs(most)),
    `must be from ${least} to ${most}`,
  );
}
