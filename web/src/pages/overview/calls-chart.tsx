import { useRef } from 'react';
import { Link } from 'wouter';
import type { RouteOutput } from '../../../../src/contract/routes/api.ts';
import { useLive } from '../../live/live.ts';
import { BarLegend, StackedBars } from '../../parts/charts/stacked-bars.tsx';
import { Fetched, Claim } from '../../parts/states.tsx';
import { counted } from '../../../../src/lib/visible-text.ts';
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
  return (
    <section className="card stack">
      <div className="row row-apart">
        <h2>Calls per minute</h2>
        <BarLegend />
      </div>
      <Fetched query={series} what="calls">
        {({ points, step_ms }) => <Chart points={points} stepMs={step_ms} />}
      </Fetched>
    </section>
  );
}

function Chart({ points, stepMs }: { points: RouteOutput<'activitySeries'>['points']; stepMs: number }) {
  const decisions = points.reduce((sum, point) => sum + point.decisions, 0);
  const total = points.reduce((sum, point) => sum + point.total, 0) - decisions;
  return (
    <>
      <StackedBars
        bars={points.map((point) => ({ ...point, time: Date.parse(point.time) }))}
        stepMs={stepMs}
        label={`${counted(total, 'call')} in the last hour`}
      />
      <Claim>
        {counted(total, 'call')} in the last hour
        {decisions > 0 && (
          <>
            , and <Link href="/activity?type=decision">{counted(decisions, 'decision')}</Link>
          </>
        )}
      </Claim>
    </>
  );
}
