/** Numbers from 0 to 1 that depend on the seed alone. */
export function createRandom(seed: number) {
  // Seeds that follow each other must not begin alike.
  let state = Math.imul(seed + 1, 0x9e3779b1) >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    between: (low: number, high: number) => low + next() * (high - low),
    pick: <T>(all: readonly T[]): T => all[Math.floor(next() * all.length)]!,
  };
}

export type Random = ReturnType<typeof createRandom>;
