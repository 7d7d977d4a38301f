interface Trend {
  now: number;
  isMore: boolean;
  /** The change to the period before, in words. */
  text: string;
}

const sum = (counts: readonly number[]) => counts.reduce((total, n) => total + n, 0);

/** Below this many, a change in per cent says less than the number. */
const FEW = 20;

/** How much a period has, and how that differs from the one before. */
export function trendOf(before: readonly number[], period: readonly number[]): Trend {
  const [then, now] = [sum(before), sum(period)];
  const difference = now - then;
  const isMore = difference > 0;
  if (difference === 0) return { now, isMore, text: 'as the day before' };
  const sign = isMore ? '▲' : '▼';
  const isFew = then < FEW;
  const change = isFew
    ? Math.abs(difference).toLocaleString('en')
    : `${Math.round((Math.abs(difference) / then) * 100).toLocaleString('en')} %`;
  return { now, isMore, text: `${sign} ${change} ${isMore ? 'more' : 'fewer'} than the day before` };
}
