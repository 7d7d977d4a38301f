import { useMemo, useRef } from 'react';
import type { ActivityFilter } from '../../../../src/contract/activity.ts';
import { useLive } from '../../live/live.ts';
import { BarLegend, StackedBars } from '../../parts/stacked-bars.tsx';
import { Fetched } from '../../parts/states.tsx';
import { counted } from '../../../../src/lib/visible-text.ts';
import { queries, useApi } from '../../session/api.ts';

const SPANS: ReadonlyArray<[label: string, ms: number]> = [
  ['1 h', 3_600_000],
  ['24 h', 86_400_000],
  ['7 d', 7 * 86_400_000],
  ['30 d', 30 * 86_400_000],
];
const REFRESH_MS = 5000;
const stamp = new Intl.DateTimeFormat(undefined, {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
});

interface Props {
  filter: ActivityFilter;
  onChange: (range: { start_time: string | undefined; end_time: string | undefined }) => void;
}

/** All calls over time, independent of the other filters. Dragging selects a range. */
export function TimeRange({ filter: { start_time, end_time }, onChange }: Props) {
  const range = useMemo(
    () => ({
      start_time: start_time ?? new Date(Date.now() - SPANS[1]![1]).toISOString(),
      ...(end_time !== undefined && { end_time }),
      buckets: 120,
    }),
    [start_time, end_time],
  );
  const series = useApi('activitySeries', range);
  const last = useRef(0);
  useLive('activity', () => {
    if (end_time !== undefined || Date.now() - last.current < REFRESH_MS) return;
    last.current = Date.now();
    void queries.invalidateQueries({ queryKey: ['activitySeries'] });
  });
  return (
    <section className="card stack time-range" aria-label="Time range">
      <div className="row row-apart">
        <div className="row">
          {SPANS.map(([label, ms]) => (
            <button
              key={label}
              type="button"
              onClick={() =>
                onChange({ start_time: new Date(Date.now() - ms).toISOString(), end_time: undefined })
              }
            >
              {label}
            </button>
          ))}
          <button type="button" onClick={() => onChange({ start_time: undefined, end_time: undefined })}>
            All time
          </button>
          <span className="muted">{rangeText(start_time, end_time)}</span>
        </div>
        <BarLegend />
      </div>
      <Fetched query={series} what="records over time">
        {({ points, step_ms }) => (
          <StackedBars
            bars={points.map((point) => ({ ...point, time: Date.parse(point.time) }))}
            stepMs={step_ms}
            label={`${counted(
              points.reduce((sum, { total }) => sum + total, 0),
              'record',
            )} over time. Drag to select a range.`}
            onSelect={(from, to) =>
              onChange({ start_time: new Date(from).toISOString(), end_time: new Date(to - 1).toISOString() })
            }
          />
        )}
      </Fetched>
    </section>
  );
}

function rangeText(start: string | undefined, end: string | undefined): string {
  if (start === undefined && end === undefined) return 'All time (chart: last 24 hours)';
  const from = start === undefined ? 'the beginning' : stamp.format(Date.parse(start));
  return `From ${from} to ${end === undefined ? 'now' : stamp.format(Date.parse(end))}`;
}
