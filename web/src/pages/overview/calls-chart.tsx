import { useRef } from 'react';
import { useLive } from '../../live/live.ts';
import { BarLegend, StackedBars } from '../../parts/stacked-bars.tsx';
import { Problem } from '../../parts/states.tsx';
import { queries, useApi } from '../../session/api.ts';

const REFRESH_MS = 2000;

/** Calls per minute in the last hour, stacked by operation, as they happen. */
export function CallsChart() {
  const series = useApi('activitySeries', { buckets: 60 }, { refetchMs: 30_000 });
  const last = useRef(0);
  useLive('activity', () => {
    if (Date.now() - last.current < REFRESH_MS) return;
    last.current = Date.now();
    void queries.invalidateQueries({ queryKey: ['activitySeries', { buckets: 60 }] });
  });
  const points = series.data?.points ?? [];
  const total = points.reduce((sum, point) => sum + point.total, 0);
  return (
    <section className="card stack">
      <div className="row row-apart">
        <h2>Calls per minute</h2>
        <BarLegend />
      </div>
      {series.error ? (
        <Problem error={series.error} onRetry={() => void series.refetch()} />
      ) : (
        <StackedBars
          bars={points.map((point) => ({ ...point, time: Date.parse(point.time) }))}
          stepMs={series.data?.step_ms ?? 60_000}
          label={`${total} calls in the last hour`}
        />
      )}
      <p className="muted">{total.toLocaleString('en')} in the last hour</p>
    </section>
  );
}
