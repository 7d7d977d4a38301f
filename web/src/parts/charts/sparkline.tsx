const HEIGHT = 32;

/** A small line over time. Decorative: the number beside it says what it is. */
export function Sparkline({ points }: { points: readonly number[] }) {
  const highest = Math.max(1, ...points);
  const width = Math.max(1, points.length - 1);
  const at = (n: number, index: number) =>
    `${index},${(HEIGHT - 1 - (n / highest) * (HEIGHT - 3)).toFixed(1)}`;
  const line = points.map(at).join(' ');
  return (
    <svg
      className="spark"
      viewBox={`0 0 ${width} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      focusable="false"
    >
      <polygon points={`0,${HEIGHT} ${line} ${width},${HEIGHT}`} />
      <polyline points={line} />
    </svg>
  );
}
