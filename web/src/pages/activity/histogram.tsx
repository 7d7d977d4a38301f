import { useRef, useState, type KeyboardEvent, type PointerEvent } from 'react';
import type { ActivitySeries, SeriesPoint } from '../../../../src/contract/activity.ts';

const LAYERS = ['read', 'write', 'destructive', 'other', 'decisions'] as const;
const HEIGHT = 100;
const minute = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});

interface Range {
  from: number;
  to: number;
}

interface Props {
  series: ActivitySeries;
  /** In words, for screen readers. */
  label: string;
  onRange: (range: { since: string; until: string }) => void;
}

/** Records over time by operation, with axes. Drag, or the arrow keys with Shift and Enter, choose a range. */
export function Histogram({ series: { points, step_ms: stepMs }, label, onRange }: Props) {
  const box = useRef<SVGSVGElement>(null);
  const [at, setAt] = useState<number>();
  const [start, setStart] = useState<number>();
  const highest = Math.max(1, ...points.map(({ total }) => total));
  const range = at === undefined ? undefined : rangeOf(start ?? at, at);

  function indexAt(event: PointerEvent): number {
    const { left, width } = box.current!.getBoundingClientRect();
    return clamp(Math.floor(((event.clientX - left) / width) * points.length), points.length);
  }

  function choose({ from, to }: Range): void {
    setStart(undefined);
    const [first, last] = [points[from], points[to]];
    if (!first || !last) return;
    onRange({ since: first.time, until: new Date(Date.parse(last.time) + stepMs - 1).toISOString() });
  }

  function onKeyDown(event: KeyboardEvent): void {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step !== 0) {
      const now = at ?? points.length;
      if (event.shiftKey) setStart(start ?? now);
      else setStart(undefined);
      setAt(clamp(now + step, points.length));
    } else if (event.key === 'Enter' && range) choose(range);
    else if (event.key === 'Escape') setStart(undefined);
    else return;
    event.preventDefault();
  }

  return (
    <figure className="histogram">
      <div className="histogram-plot">
        <span className="histogram-high muted" aria-hidden="true">
          {highest.toLocaleString('en')}
        </span>
        <svg
          ref={box}
          viewBox={`0 0 ${points.length} ${HEIGHT}`}
          preserveAspectRatio="none"
          className="bars bars-select"
          role="slider"
          tabIndex={0}
          aria-label={label}
          aria-valuemin={0}
          aria-valuemax={points.length - 1}
          aria-valuenow={at ?? points.length - 1}
          aria-valuetext={range ? textOf(points.slice(range.from, range.to + 1), stepMs) : 'no range chosen'}
          onKeyDown={onKeyDown}
          onPointerDown={(event) => {
            event.currentTarget.setPointerCapture(event.pointerId);
            const index = indexAt(event);
            setStart(index);
            setAt(index);
          }}
          onPointerMove={(event) => setAt(indexAt(event))}
          onPointerUp={() => range && start !== undefined && choose(range)}
          onPointerCancel={() => setStart(undefined)}
          onPointerLeave={() => start === undefined && setAt(undefined)}
          onBlur={() => setAt(undefined)}
        >
          {range && (
            <rect
              className="bars-range"
              x={range.from}
              width={range.to - range.from + 1}
              y={0}
              height={HEIGHT}
            />
          )}
          {points.map((point, index) => (
            <Stack key={point.time} point={point} index={index} highest={highest} />
          ))}
        </svg>
        <div className="histogram-times muted" aria-hidden="true">
          {ticksOf(points).map((time) => (
            <span key={time}>{minute.format(Date.parse(time))}</span>
          ))}
        </div>
      </div>
      <figcaption className="muted histogram-now">
        {range ? textOf(points.slice(range.from, range.to + 1), stepMs) : label}
      </figcaption>
    </figure>
  );
}

const clamp = (index: number, length: number) => Math.min(length - 1, Math.max(0, index));
const rangeOf = (a: number, b: number): Range => ({ from: Math.min(a, b), to: Math.max(a, b) });

function ticksOf(points: readonly SeriesPoint[]): string[] {
  const last = points.length - 1;
  return [...new Set([0, Math.floor(last / 2), last])].map((index) => points[index]!.time);
}

function textOf(points: readonly SeriesPoint[], stepMs: number): string {
  const [first, last] = [points[0]!, points.at(-1)!];
  const counts = LAYERS.map(
    (layer) => [layer, points.reduce((sum, point) => sum + point[layer], 0)] as const,
  );
  const shown = counts.filter(([, n]) => n > 0).map(([layer, n]) => `${n} ${layer}`);
  const refused = points.reduce((sum, point) => sum + point.refused, 0);
  return `${minute.format(Date.parse(first.time))} to ${minute.format(Date.parse(last.time) + stepMs)}: ${shown.join(', ') || 'no records'}${refused > 0 ? `; ${refused} refused` : ''}`;
}

function Stack({ point, index, highest }: { point: SeriesPoint; index: number; highest: number }) {
  let top = HEIGHT;
  return (
    <g>
      {LAYERS.map((layer) => {
        const height = (point[layer] / highest) * HEIGHT;
        top -= height;
        return (
          height > 0 && (
            <rect
              key={layer}
              className={`bar-${layer}`}
              x={index + 0.1}
              y={top}
              width={0.8}
              height={height}
            />
          )
        );
      })}
    </g>
  );
}
