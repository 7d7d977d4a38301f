export interface Sample {
  /** Seconds since the beginning. */
  at: number;
  value: number;
}

/** The median of the slopes between all pairs, per hour: a few samples far off do not move it. */
export function slopePerHour(samples: readonly Sample[]): number {
  const slopes: number[] = [];
  samples.forEach((a, index) => {
    for (const b of samples.slice(index + 1)) slopes.push((b.value - a.value) / (b.at - a.at));
  });
  return median(slopes) * 3600;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  if (sorted.length === 0) return Number.NaN;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
