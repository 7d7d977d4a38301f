import type { Replay } from '../../../../src/contract/approval.ts';
import { counted } from '../../../../src/lib/visible-text.ts';

const HEIGHT = 110;
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const LAYERS = ['refuse', 'ask', 'allow'] as const;
const WORDS = { refuse: 'refused', ask: 'held', allow: 'not held' } as const;

/** What the rules would have done, day by day: what is held stands on the ground, the rest above it. */
export function ReplayTimeline({ replay: { points, ask, refuse } }: { replay: Replay }) {
  const highest = Math.max(1, ...points.map((point) => point.allow + point.ask + point.refuse));
  const [first, last] = [points[0], points.at(-1)];
  return (
    <figure className="replay">
      <svg
        viewBox={`0 0 ${points.length} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${counted(ask, 'call')} held and ${refuse.toLocaleString('en')} refused, over time`}
      >
        {points.map((point, index) => {
          let top = HEIGHT;
          return (
            <g key={point.time}>
              <title>
                {`${day.format(Date.parse(point.time))}: ${LAYERS.map((layer) => `${point[layer]} ${WORDS[layer]}`).join(', ')}`}
              </title>
              <rect x={index} y={0} width={1} height={HEIGHT} fill="transparent" />
              {LAYERS.map((layer) => {
                const n = point[layer];
                // One held call among thousands of others is still to be seen.
                const height =
                  n === 0 ? 0 : Math.max(layer === 'allow' ? 1 : 4, (n / highest) * (HEIGHT - 8));
                top -= height;
                return (
                  height > 0 && (
                    <rect
                      key={layer}
                      className={`replay-${layer}`}
                      x={index + 0.12}
                      y={top}
                      width={0.76}
                      height={height}
                    />
                  )
                );
              })}
            </g>
          );
        })}
      </svg>
      <figcaption className="row row-apart muted">
        <span>{first && day.format(Date.parse(first.time))}</span>
        <ul className="legend">
          {LAYERS.map((layer) => (
            <li key={layer}>
              <span className={`legend-mark replay-${layer}`} aria-hidden="true" />
              {WORDS[layer]}
            </li>
          ))}
        </ul>
        <span>{last && day.format(Date.parse(last.time))}</span>
      </figcaption>
    </figure>
  );
}
