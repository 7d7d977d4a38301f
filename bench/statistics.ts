/** The percentile of a sorted list. */
export function percentile(sorted: number[], p: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? Number.NaN;
}

export function median(values: number[]): number {
  return percentile(
    [...values].sort((a, b) => a - b),
    0.5,
  );
}

export function geometricMean(values: number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}

/** The geometric mean over groups of the median of each, with its 95 % interval: rounds are drawn again and again, with a fixed seed. */
export function interval(groups: number[][], draws = 2000): { low: number; mean: number; high: number } {
  const meanOf = (sample: number[][]) => geometricMean(sample.map(median));
  let seed = 1;
  const next = (limit: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % limit;
  };
  const means = Array.from({ length: draws }, () =>
    meanOf(groups.map((group) => group.map(() => group[next(group.length)]!))),
  ).sort((a, b) => a - b);
  return { low: percentile(means, 0.025), mean: meanOf(groups), high: percentile(means, 0.975) };
}
