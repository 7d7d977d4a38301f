import { useRef, useState, type PointerEvent } from 'react';

export interface Bar {
  /** Milliseconds, the beginning of the bar. */
  time: number;
  read: number;
  write: number;
  destructive: number;
  other: number;
  /** Decisions of people on approval requests; not counted as calls. */
  decisions: number;
}

interface Props {
  bars: readonly Bar[];
  stepMs: number;
  /** In words, for screen readers. */
  label: string;
  /** Dragging over the bars gives a range. */
  onSelect?: (from: number, to: number) => void;
}

const LAYERS = ['read', 'write', 'destructive', 'other', 'decisions'] as const;
const HEIGHT = 100;
const time = new Intl.DateTimeFormat(undefined, { dateStyle: 'short', timeStyle: 'short' });

/** Calls over time, one bar per step, stacked by operation. */
export function StackedBars({ bars, stepMs, label, onSelect }: Props) {
  const box = useRef<SVGSVGElement>(null);
  const [drag, setDrag] = useState<{ from: number; to: number }>();
  const highest = Math.max(1, ...bars.map(totalOf));

  function indexAt(event: PointerEvent): number {
    const { left, width } = box.current!.getBoundingClientRect();
    return Math.min(bars.length - 1, Math.max(0, Math.floor(((event.clientX - left) / width) * bars.length)));
  }

  function finish(): void {
    if (!drag || !onSelect) return;
    const [first, last] = [bars[Math.min(drag.from, drag.to)], bars[Math.max(drag.from, drag.to)]];
    setDrag(undefined);
    if (first && last) onSelect(first.time, last.time + stepMs);
  }

  return (
    <svg
      ref={box}
      className={onSelect ? 'bars bars-select' : 'bars'}
      viewBox={`0 0 ${bars.length} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
      onPointerDown={(event) => {
        if (!onSelect) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        setDrag({ from: indexAt(event), to: indexAt(event) });
      }}
      onPointerMove={(event) => drag && setDrag({ ...drag, to: indexAt(event) })}
      onPointerUp={finish}
      onPointerCancel={() => setDrag(undefined)}
    >
      {drag && (
        <rect
          className="bars-range"
          x={Math.min(drag.from, drag.to)}
          width={Math.abs(drag.to - drag.from) + 1}
          y={0}
          height={HEIGHT}
        />
      )}
      {bars.map((bar, index) => (
        <BarStack key={bar.time} bar={bar} index={index} highest={highest} />
      ))}
    </svg>
  );
}

function BarStack({ bar, index, highest }: { bar: Bar; index: number; highest: number }) {
  let top = HEIGHT;
  return (
    <g>
      <title>{`${time.format(bar.time)}: ${LAYERS.map((layer) => `${bar[layer]} ${layer}`).join(', ')}`}</title>
      <rect x={index} y={0} width={1} height={HEIGHT} fill="transparent" />
      {LAYERS.map((layer) => {
        const height = (bar[layer] / highest) * HEIGHT;
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

const totalOf = (bar: Bar) => LAYERS.reduce((sum, layer) => sum + bar[layer], 0);

/** Which colour is what. */
export function BarLegend() {
  return (
    <ul className="legend">
      {LAYERS.map((layer) => (
        <li key={layer}>
          <span className={`legend-mark legend-${layer}`} aria-hidden="true" />
          {layer}
        </li>
      ))}
    </ul>
  );
}
